import { ConfigError } from '@attestry/core/errors/configErrors.ts'
import type { HookConfig } from './hookConfig.ts'
import { parseHookState, type HookState } from './hookState.ts'
import type { HookOrderJson, HookStart } from './startState.ts'
import { blockNumberMax } from '@attestry/core/model/position.ts'
import type { HookOrder, StoredHook } from '@attestry/core/index/hookStore.ts'
import { quoteText } from '@attestry/host/config/describeValue.ts'
import type { Config } from '@attestry/host/config/loadConfig.ts'
import { suggestName } from '@attestry/host/config/suggestName.ts'
import { openExisting } from '@attestry/host/openDatabase.ts'
import { closing } from '@attestry/host/closing.ts'

export interface HooksFlags {
  readonly from?: string
  readonly chain?: string
  readonly json?: boolean
}

type HooksCommandConfig = Pick<Config, 'database' | 'chains'> & { readonly hooks: readonly HookConfig[] }

/**
 * Lists hooks, or leaves an order for the process that delivers them. Returns lines to print.
 * @throws ConfigError for a mistake of the command line, StartError without a database.
 */
export async function runHooksCommand(
  config: HooksCommandConfig,
  [order = 'list', name]: readonly string[],
  flags: HooksFlags,
): Promise<string[]> {
  if (order === 'list') return await listHooks(config, flags.json === true)
  const left = readOrder(order, flags, config)
  const hook = chooseHook(config.hooks, order, name)
  await using writer = closing((await openExisting(config.database)).openWriter())
  await writer.orderHook(hook.name, left)
  return [`The hook ${hook.name} is told to ${order}; the process that indexes obeys within a second`]
}

function readOrder(order: string, { from, chain }: HooksFlags, config: HooksCommandConfig): HookOrder {
  const orderedAt = Date.now()
  switch (order) {
    case 'pause':
      return { paused: true }
    case 'resume':
      return { paused: false, orderJson: format({ kind: 'resume', orderedAt }) }
    case 'replay':
      return { orderJson: format({ kind: 'replay', from: readStart(from, chain, config), orderedAt }) }
    default:
      throw new ConfigError(
        `${quoteText(order)} is no order to a hook; the orders are list, pause, resume and replay`,
      )
  }
}

function format(order: HookOrderJson): string {
  return JSON.stringify(order)
}

/** @throws ConfigError */
export function readStart(
  from: string | undefined,
  chain: string | undefined,
  config: HooksCommandConfig,
): HookStart {
  if (from === 'now') return { kind: 'now' }
  if (from !== undefined && /^[0-9]{1,10}$/.test(from) && Number(from) <= blockNumberMax) {
    return { kind: 'block', chainId: chooseChain(chain, config), block: Number(from) }
  }
  const time = from !== undefined && /^[0-9]{4}-/.test(from) ? Date.parse(from) : Number.NaN
  if (!Number.isNaN(time)) return { kind: 'time', timestamp: Math.floor(time / 1_000) }
  throw new ConfigError(
    `The option --from must be a block number, a time such as 2026-11-01T00:00:00Z, or now, but is ${from === undefined ? 'missing' : quoteText(from)}`,
  )
}

function chooseChain(chain: string | undefined, { chains }: HooksCommandConfig): number {
  const chosen =
    chain === undefined && chains.length === 1
      ? chains[0]
      : chains.find((each) => String(each.chainId) === chain)
  if (chosen !== undefined) return chosen.chainId
  const known = chains.map(({ chainId }) => chainId).join(', ')
  throw new ConfigError(
    `A block needs the chain that it is of: the option --chain must be one of ${known}, but is ${chain === undefined ? 'missing' : quoteText(chain)}`,
  )
}

function chooseHook(hooks: readonly HookConfig[], order: string, name: string | undefined): HookConfig {
  const hook = hooks.find((each) => each.name === name)
  if (hook !== undefined) return hook
  const names = hooks.map((each) => each.name)
  if (name === undefined) {
    throw new ConfigError(
      `attestry hooks ${order} needs the name of a hook; the hooks are ${names.join(', ') || 'none'}`,
    )
  }
  const suggestion = suggestName(name, names)
  const hint =
    suggestion === null ? `the hooks are ${names.join(', ') || 'none'}` : `did you mean ${suggestion}?`
  throw new ConfigError(`No hook is called ${quoteText(name)}; ${hint}`)
}

async function listHooks(config: HooksCommandConfig, json: boolean): Promise<string[]> {
  await using reader = closing((await openExisting(config.database)).openReader())
  const rows = await reader.listHooks()
  const listed = config.hooks.map((hook) =>
    describeHook(
      hook,
      rows.find(({ name }) => name === hook.name),
    ),
  )
  if (json) return [JSON.stringify(listed, null, 2)]
  if (listed.length === 0) return ['The configuration has no hooks']
  return listed.flatMap(({ name, state, delivered, lastDelivery, host, problem }) => [
    `${name}  ${state}  ${delivered} delivered${lastDelivery === null ? '' : `, last ${lastDelivery}`}  ${host}`,
    ...(problem === null ? [] : [`  ${problem}`]),
  ])
}

function describeHook({ name, url, when }: HookConfig, row: StoredHook | undefined) {
  const state = parseHookState(row?.stateJson ?? null)
  const { deliveredCount = 0, deliveredAt = null, failure = null, stopped = null } = state ?? {}
  const problem = stopped ?? (failure === null ? null : describeFailure(failure))
  return {
    name,
    when,
    state: stateOf(row, state),
    delivered: deliveredCount,
    lastDelivery: deliveredAt === null ? null : new Date(deliveredAt).toISOString(),
    host: URL.canParse(url) ? new URL(url).host : '',
    problem,
  }
}

function stateOf(row: StoredHook | undefined, state: HookState | null): string {
  if (state === null) return 'new'
  if (state.stopped !== null) return 'stopped'
  if (row?.paused === true) return 'paused'
  return state.failure === null ? 'delivering' : 'failing'
}

function describeFailure({ message, attempts, since, nextAt }: NonNullable<HookState['failure']>): string {
  const [from, next] = [since, nextAt].map((at) => new Date(at).toISOString())
  return `${message} (${attempts} attempts since ${from}, the next at ${next})`
}
