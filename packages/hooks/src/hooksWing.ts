import { withConfig, withHelp, wordsOf, type ConfigFlag } from '@attestry/host/commandLine.ts'
import { writeLines } from '@attestry/host/standardOutput.ts'
import type { Wing } from '@attestry/server/wing.ts'
import type { HooksFlags } from './runHooksCommand.ts'

/** Messages to receivers outside. */
export const hooksWing: Wing = {
  name: 'hooks',
  commands: ({ add, loadForReading }) => {
    withHelp(
      withConfig(add('hooks', 'list, pause, resume and replay hooks', ['[order]', '[name]'])),
      'attestry hooks replay payments --from 2026-11-01T00:00:00Z',
      hooksHelp,
    )
      .option('--from <start>', 'replay: a block, a time such as 2026-11-01T00:00:00Z, or now')
      .option('--chain <number>', 'replay from a block: the chain of the block')
      .option('--json', 'list: print JSON instead of a table')
      .action(async (order: string | undefined, name: string | undefined, flags: ConfigFlag & HooksFlags) => {
        const { runHooksCommand } = await import('./runHooksCommand.ts')
        await writeLines(await runHooksCommand(loadForReading(flags), wordsOf(order, name), flags))
      })
  },
}

const hooksHelp =
  'Orders: list (the default), pause NAME, resume NAME, replay NAME --from START. The process that indexes obeys within a\n' +
  'second. resume also tries a failing hook again at once.'
