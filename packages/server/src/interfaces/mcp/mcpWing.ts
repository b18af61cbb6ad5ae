import { withConfig, withHelp, type ConfigFlag } from '@attestry/host/commandLine.ts'
import type { NoKeys } from '@attestry/host/config/configPart.ts'
import { flag } from '@attestry/host/config/schemaKeys.ts'
import { untilStopped } from '@attestry/host/listenForStop.ts'
import type { Wing } from '../../wing.ts'

const serverKeys = {
  mcp: flag(false, 'Whether agents are served at /mcp, by the Model Context Protocol.', true),
}

/** The Model Context Protocol, at `/mcp` or on standard input and output. */
export const mcpWing: Wing<boolean, NoKeys, typeof serverKeys> = {
  name: 'mcp',
  serverKeys,
  partPaths: { mcp: ['/mcp'] },
  resolve: ({ file }) => file.server?.mcp ?? false,
  serve: async (_host, isServed) => (isServed ? (await import('./serveMcp.ts')).serveMcp() : {}),
  commands: ({ add, loadForReading, openServer }) => {
    withHelp(
      withConfig(add('mcp', 'serve agents on standard input and output, by the Model Context Protocol')),
      'attestry mcp --config attestry.yaml',
    ).action(async (flags: ConfigFlag) => {
      const config = loadForReading(flags)
      const { runMcp } = await import('./runMcp.ts')
      const served = { ...config, wings: { ...config.wings, [mcpWing.name]: true } }
      await untilStopped((signal) => runMcp(served, openServer, signal))
    })
  },
}
