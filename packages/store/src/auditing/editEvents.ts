import type { ChainId } from '@attestry/core/model/compositeId.ts'
import type { DomainEvent } from '@attestry/core/model/domainEvent.ts'
import { positionBlock, type Position } from '@attestry/core/model/position.ts'
import type { Attestation, Schema } from '@attestry/core/model/records.ts'
import type { UnixMilliseconds } from '@attestry/core/model/time.ts'
import type { ReadEvent } from '../transfer/readStoredEvent.ts'
import type { BlockRange } from '@attestry/core/index/indexAudit.ts'

/** Events that stand in the place of those that are stored of some blocks of a chain. */
export interface ChainEdit {
  readonly chainId: ChainId
  readonly ranges: readonly BlockRange[]
  readonly storedAt: UnixMilliseconds
}

/**
 * The events of a chain, of which those of the edited blocks are replaced. A key belongs to one record: an event of
 * another block that has the key of one that comes in goes.
 */
export async function* editEvents(
  stored: AsyncIterable<ReadEvent>,
  { ranges, storedAt }: ChainEdit,
): AsyncGenerator<ReadEvent> {
  const incoming = ranges.flatMap(({ events }) => events).sort((a, b) => a.position - b.position)
  const taken = new Set(incoming.map(recordOf))
  const isEdited = createAscendingLookup(ranges)
  let next = 0
  const readIncoming = (event: DomainEvent): ReadEvent => {
    next += 1
    const own = { event, storedAt, settled: null, revocation: null }
    return { kind: 'event', position: event.position, stored: own }
  }
  for await (const read of stored) {
    for (
      let event = incoming[next];
      event !== undefined && event.position < read.position;
      event = incoming[next]
    ) {
      yield readIncoming(event)
    }
    if (isEdited(read.position)) continue
    if (read.kind === 'damaged') yield read
    else {
      const record = recordOf(read.stored.event)
      if (record !== null && taken.has(record)) continue
      // A revocation that was kept as a contradiction has no time of its own, and may count now.
      yield { ...read, stored: { ...read.stored, storedAt: read.stored.storedAt ?? storedAt } }
    }
  }
  for (const event of incoming.slice(next)) yield readIncoming(event)
}

/** Whether a position lies in one of the ranges, for positions that are asked for in ascending order. */
function createAscendingLookup(ranges: readonly BlockRange[]): (position: number) => boolean {
  const inOrder = ranges.toSorted((a, b) => a.fromBlock - b.fromBlock)
  let at = 0
  return (position) => {
    const block = positionBlock(position as Position)
    while ((inOrder[at]?.toBlock ?? Number.POSITIVE_INFINITY) < block) at += 1
    return (inOrder[at]?.fromBlock ?? Number.POSITIVE_INFINITY) <= block
  }
}

/** The record of its chain that an event brings; null if it brings no record. */
function recordOf(event: DomainEvent): string | null {
  if (event.kind === 'attestationMade') return `attestation ${keyOf(event.attestation)}`
  return event.kind === 'schemaRegistered' ? `schema ${keyOf(event.schema)}` : null
}

function keyOf({ protocol, key }: Attestation | Schema): string {
  return `${protocol} ${key.localId}`
}
