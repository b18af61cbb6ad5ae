import type { HookFigures } from '@attestry/server/pipeline/metrics/createMetrics.ts'
import { parseHookState } from './hookState.ts'
import type { HookReads } from '@attestry/core/index/hookStore.ts'

/** What the hooks of a database have delivered, as the process that delivers them last wrote. */
export async function readHookFigures(reader: Pick<HookReads, 'listHooks'>): Promise<HookFigures[]> {
  const rows = await reader.listHooks()
  return rows.flatMap(({ name, stateJson }) => {
    const state = parseHookState(stateJson)
    if (state === null) return []
    const { failure, stopped, deliveredCount } = state
    const failingSeconds =
      failure === null ? 0 : Math.max(0, Math.floor((Date.now() - failure.since) / 1_000))
    return [{ name, deliveredCount, failingSeconds, isStopped: stopped !== null }]
  })
}
