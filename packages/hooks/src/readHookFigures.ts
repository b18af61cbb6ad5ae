import type { HookReads } from '@attestry/core/index/hookStore.ts'
import type { Figure } from '@attestry/server/pipeline/metrics/createMetrics.ts'
import { parseHookState, type HookState } from './hookState.ts'

/** Delivery figures of the hooks of a database, as last saved by the process that delivers. */
export async function readHookFigures(reader: Pick<HookReads, 'listHooks'>): Promise<readonly Figure[]> {
  const states = (await reader.listHooks()).flatMap(({ name, stateJson }) => {
    const state = parseHookState(stateJson)
    return state === null ? [] : [{ name, state }]
  })
  const samples = (valueOf: (state: HookState) => number) =>
    states.map(({ name, state }) => ({ labels: { name }, value: valueOf(state) }))
  return [
    {
      kind: 'counter',
      name: 'attestry_hook_delivered_total',
      help: 'Messages that a hook has delivered.',
      samples: samples(({ deliveredCount }) => deliveredCount),
    },
    {
      kind: 'gauge',
      name: 'attestry_hook_failing_seconds',
      help: 'For how long the oldest message of a hook could not be delivered.',
      samples: samples(({ failure }) =>
        failure === null ? 0 : Math.max(0, Math.floor((Date.now() - failure.since) / 1_000)),
      ),
    },
    {
      kind: 'gauge',
      name: 'attestry_hook_stopped',
      help: '1 while a hook has stopped until an operator starts it again.',
      samples: samples(({ stopped }) => Number(stopped !== null)),
    },
  ]
}
