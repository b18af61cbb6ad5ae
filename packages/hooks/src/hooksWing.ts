import { protocolNames } from '@attestry/core/model/protocolNames.ts'
import { withConfig, withHelp, wordsOf, type ConfigFlag } from '@attestry/host/commandLine.ts'
import { configOf } from '@attestry/host/config/configPart.ts'
import { list } from '@attestry/host/config/schemaKeys.ts'
import { writeLines } from '@attestry/host/standardOutput.ts'
import type { Wing } from '@attestry/server/wing.ts'
import type { HookConfig } from './hookConfig.ts'
import { createHookSchema } from './hookSchema.ts'
import { resolveHooks } from './resolveHooks.ts'
import type { HooksFlags } from './runHooksCommand.ts'

const keys = {
  hooks: list(createHookSchema(protocolNames), {
    description: 'Receivers that are sent messages of what happens (docs/hooks.md).',
  }),
}

/** Messages to receivers outside. */
export const hooksWing: Wing<readonly HookConfig[], typeof keys> = {
  name: 'hooks',
  keys,
  resolve: ({ file, endpointsNeeded }) => resolveHooks(file.hooks ?? [], endpointsNeeded),
  mayLackVariable: ([block]) => block === 'hooks',
  secretsOf: (hooks) => hooks.map(({ url }) => url),
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
        const config = loadForReading(flags)
        const hooks = configOf(hooksWing, config.wings)
        await writeLines(await runHooksCommand({ ...config, hooks }, wordsOf(order, name), flags))
      })
  },
  figures: async (reader) => {
    const { readHookFigures } = await import('./readHookFigures.ts')
    return await readHookFigures(reader)
  },
  index: async (host, hooks) => {
    if (hooks.length === 0) return idleWing
    const { beginDelivery } = await import('./beginDelivery.ts')
    return await beginDelivery(host, hooks)
  },
}

const idleWing = { ended: Promise.resolve() }

const hooksHelp =
  'Orders: list (the default), pause NAME, resume NAME, replay NAME --from START. The process that indexes obeys within a\n' +
  'second. resume also tries a failing hook again at once.'
