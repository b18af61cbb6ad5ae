import { eventNameOf, formatPlace, parsePlace } from '@attestry/server/interfaces/events/formatEvent.ts'
import { presentChange } from '@attestry/server/interfaces/events/presentChange.ts'
import type { JournalTail } from '@attestry/core/changes/journalTail.ts'
import { createPauses } from '@attestry/core/changes/pauses.ts'
import { describeError } from '@attestry/core/errors/baseError.ts'
import { formatCompositeId } from '@attestry/core/model/compositeId.ts'
import type { Clock } from '@attestry/core/model/clock.ts'
import type { Change, ChangeJournal } from '@attestry/core/index/indexQueries.ts'
import type { Outbox, OutboxRow } from '@attestry/store/postgres/openOutbox.ts'
import type { SyncLog } from '@attestry/core/sync/indexedChain.ts'

export interface OutboxParts {
  readonly outbox: Outbox
  readonly journal: ChangeJournal
  /** Tells of new versions of the index. */
  readonly tail: JournalTail<unknown>
  readonly clock: Clock
  readonly log: SyncLog
}

/** Changes of one transaction. */
const changesMax = 1_000
const pollIntervalMs = 500
/** Pause where no version comes. */
const idleMaxMs = 60_000
const failurePauseMs = 2_000

/**
 * Fills the outbox from the journal until `stop` aborts. Several processes may do so: what one has appended the others
 * find there. An outbox begins with a reset, as one does whose place the journal no longer reaches.
 */
export async function fillOutbox(
  { outbox, journal, tail, clock, log }: OutboxParts,
  stop: AbortSignal,
): Promise<void> {
  const { wait, wake } = createPauses(clock)
  const leaveTail = tail.follow(pollIntervalMs, wake)
  stop.addEventListener('abort', wake, { once: true })
  let lastMessage: string | null = null
  while (!stop.aborted) {
    try {
      while (!stop.aborted && (await fillOnce(outbox, journal))) lastMessage = null
      await wait(idleMaxMs)
    } catch (error) {
      const message = describeError(error)
      if (message !== lastMessage && !stop.aborted) log('warn', `the outbox waits: ${message}`, {})
      lastMessage = message
      await clock.sleep(failurePauseMs, stop).catch(() => undefined)
    }
  }
  leaveTail()
  await outbox.close()
}

/** Appends the next changes; false if there are no new ones. */
export async function fillOnce(outbox: Outbox, journal: ChangeJournal): Promise<boolean> {
  const newestId = await outbox.newestId()
  const place = newestId === null ? null : parsePlace(newestId)
  if (place === null) {
    await outbox.append(newestId, [rowOf({ kind: 'reset', place: await journal.newestChange() })])
    return true
  }
  const { changes } = await journal.listChanges(place, changesMax)
  if (changes.length === 0) return false
  // If another process was faster, the next call finds its rows.
  await outbox.append(newestId, changes.map(rowOf))
  return true
}

function rowOf(change: Change): OutboxRow {
  return {
    id: formatPlace(change.place),
    type: eventNameOf(change),
    ...recordOf(change),
    payloadJson: JSON.stringify(presentChange(change)),
  }
}

function recordOf(change: Change): Pick<OutboxRow, 'chainId' | 'record'> {
  switch (change.kind) {
    case 'attestation':
    case 'revocation': {
      const { key } = change.attestation
      return { chainId: key.chainId, record: formatCompositeId(key) }
    }
    case 'schema': {
      const { key } = change.schema
      return { chainId: key.chainId, record: formatCompositeId(key) }
    }
    case 'anchor':
    case 'revertedAnchor':
      return { chainId: change.anchor.place.chainId, record: null }
    case 'reverted':
      return { chainId: Number(change.summary.chainId), record: change.summary.id }
    case 'reset':
      return { chainId: null, record: null }
  }
}
