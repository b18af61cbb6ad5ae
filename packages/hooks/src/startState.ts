import type { ChangeJournal } from '@attestry/core/index/indexQueries.ts'
import type { HookReads, StoredHook } from '@attestry/core/index/hookStore.ts'
import type { IndexWriter } from '@attestry/core/index/indexWriter.ts'
import { eventPosition } from '@attestry/core/model/position.ts'
import type { HookConfig } from './hookConfig.ts'
import type { HookState, RecordSpan } from './hookState.ts'

/** The start of a hook: now, a block of a chain, or a time in Unix seconds. */
export type HookStart =
  | { readonly kind: 'now' }
  | { readonly kind: 'block'; readonly chainId: number; readonly block: number }
  | { readonly kind: 'time'; readonly timestamp: number }

/** An order of an operator, as `attestry hooks` writes it into the table. */
export type HookOrderJson =
  | { readonly kind: 'resume'; readonly orderedAt: number }
  | { readonly kind: 'replay'; readonly from: HookStart; readonly orderedAt: number }

/**
 * The state of a hook that begins, or begins anew. Records of any age that are already indexed are read from their
 * tables. The journal is followed from here on.
 */
export async function startState(
  source: ChangeJournal & HookReads,
  when: HookConfig['when'],
  start: HookStart,
  before: HookState | null,
): Promise<HookState> {
  // Read first: a record that arrives between the two reads is delivered twice rather than never.
  const place = when === 'head' ? await source.newestChange() : null
  const ends = await source.listChainEnds()
  const spans: Record<number, RecordSpan> = {}
  for (const { chainId, indexed, final, contracts } of ends) {
    const after = await findStart(source, chainId, start)
    if (when === 'final') spans[chainId] = { after: after ?? final, upTo: null, contracts }
    else if (after !== null && after < indexed) spans[chainId] = { after, upTo: indexed }
  }
  const { round = -1, staleChains = [], deliveredCount = 0, deliveredAt = null } = before ?? {}
  return {
    place,
    spans,
    round: round + 1,
    staleChains,
    failure: null,
    stopped: null,
    deliveredCount,
    deliveredAt,
  }
}

/** The position after which a chain is reported; null: only changes from now on. */
async function findStart(source: HookReads, chainId: number, start: HookStart): Promise<number | null> {
  switch (start.kind) {
    case 'now':
      return null
    case 'block':
      return start.chainId === chainId ? eventPosition(start.block, 0) - 1 : null
    case 'time':
      return await source.findPositionBefore(chainId, start.timestamp)
  }
}

/** Gives each hook that has no state yet one that begins now, and returns the rows of all hooks. Needs the claim. */
export async function beginHooks(
  hooks: readonly HookConfig[],
  reader: ChangeJournal & HookReads,
  writer: Pick<IndexWriter, 'saveHooks'>,
): Promise<readonly StoredHook[]> {
  const rows = await reader.listHooks()
  const begun: StoredHook[] = []
  for (const { name, when } of hooks) {
    const row = rows.find((each) => each.name === name) ?? { name, paused: false, orderJson: null }
    if ('stateJson' in row && row.stateJson !== null) begun.push(row)
    else {
      const state = await startState(reader, when, { kind: 'now' }, null)
      const stateJson = JSON.stringify(state)
      // Nothing is delivered before the beginning is saved: a crash must not move it.
      await writer.saveHooks([{ name, stateJson, takenOrderJson: null }])
      begun.push({ ...row, stateJson })
    }
  }
  return begun
}
