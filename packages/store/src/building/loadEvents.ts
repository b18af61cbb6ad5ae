import { unixMilliseconds } from '@attestry/core/model/time.ts'
import { withDefinition } from '@attestry/core/index/fieldIndexing.ts'
import type { StoredEvent } from '@attestry/core/index/indexRestore.ts'
import { createChanges } from '../layout/changes.ts'
import type { ChainRow } from '../layout/entries.ts'
import { applyEvents } from '../writing/applyBlocks.ts'
import { settle } from '../writing/revocations.ts'
import type { WriterState } from '../writing/writerState.ts'

/**
 * Writes the rows of events, each with the time at which it was stored; `buildIndex` makes the rest after all events.
 * Resolves to the number of settled claims that no pending claim of the index corresponds to.
 */
export async function loadEvents(
  state: WriterState,
  chain: ChainRow,
  events: readonly StoredEvent[],
): Promise<number> {
  const changes = createChanges(1, chain, unixMilliseconds(0), false)
  const { defineSchema } = state.indexing
  const timed = events.map(({ event, storedAt }) => ({
    event: defineSchema === undefined ? event : withDefinition(event, defineSchema),
    storedAt: storedAt ?? unixMilliseconds(0),
  }))
  await applyEvents(state, changes, timed)
  const settled = events.flatMap(({ event, settled: by }) =>
    by === null ? [] : [{ position: event.position, block: by.block, storedAt: by.storedAt }],
  )
  return settled.length - (await settle(state.tables, changes, settled))
}
