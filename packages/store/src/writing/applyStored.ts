import type { DomainEvent } from '@attestry/core/model/domainEvent.ts'
import { unixMilliseconds } from '@attestry/core/model/time.ts'
import type { StoredEvent } from '@attestry/core/index/indexRestore.ts'
import { createChanges } from '../layout/changes.ts'
import type { ChainRow } from '../layout/entries.ts'
import type { DefineSchema } from '@attestry/core/index/fieldIndexing.ts'
import { applyEvents } from './applyBlocks.ts'
import { settle } from './revocations.ts'
import { updateNames } from './schemaNames.ts'
import { writeShared } from './writeChanges.ts'
import { writeProtocolCounts } from './writeProtocolCounts.ts'
import type { WriterState } from './writerState.ts'

/**
 * Applies events as `applyBlocks` does, each with the time at which it was stored. Resolves to the number of settled
 * claims that no pending claim of the index corresponds to.
 */
export async function applyStored(
  state: WriterState,
  chain: ChainRow,
  events: readonly StoredEvent[],
): Promise<number> {
  const { tables } = state
  const changes = createChanges(1, chain, unixMilliseconds(0))
  const { defineSchema } = state.indexing
  const timed = events.map(({ event, storedAt }) => ({
    event: defineSchema === undefined ? event : withDefinition(event, defineSchema),
    storedAt: storedAt ?? unixMilliseconds(0),
  }))
  await applyEvents(state, changes, timed)
  const settled = events.flatMap(({ event, settled: by }) =>
    by === null ? [] : [{ position: event.position, block: by.block, storedAt: by.storedAt }],
  )
  const found = await settle(tables, changes, settled)
  await updateNames(tables, changes)
  await writeProtocolCounts(tables, changes)
  await writeShared(state, changes)
  return settled.length - found
}

function withDefinition(event: DomainEvent, defineSchema: DefineSchema): DomainEvent {
  if (event.kind !== 'schemaRegistered') return event
  return { ...event, schema: { ...event.schema, definition: defineSchema(event.schema) } }
}
