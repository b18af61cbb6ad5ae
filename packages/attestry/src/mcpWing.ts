import { withConfig, withHelp, type ConfigFlag } from '@attestry/host/commandLine.ts'
import { untilStopped } from '@attestry/host/listenForStop.ts'
import type { Wing } from '@attestry/server/wing.ts'

/** The Model Context Protocol on standard input and output. */
export const mcpWing: Wing = {
  name: 'mcp',
  commands: ({ add, loadForReading, openServer }) => {
    withHelp(
      withConfig(add('mcp', 'serve agents on standard input and output, by the Model Context Protocol')),
      'attestry mcp --config attestry.yaml',
    ).action(async (flags: ConfigFlag) => {
      const config = loadForReading(flags)
      const { runMcp } = await import('./runMcp.ts')
      await untilStopped((signal) => runMcp(config, openServer, signal))
    })
  },
}
