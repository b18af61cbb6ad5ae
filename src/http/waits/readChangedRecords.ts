import type { RecordKey } from '../../model/compositeId.ts'
import { detailOf } from '../../model/recordJson.ts'
import type { Change, ChangeJournal, ChangePlace, WantedRecord } from '../../store/indexQueries.ts'

/** The records that changed behind a place of the journal. */
export interface ChangedRecords {
  /** @see wantedName */
  readonly names: ReadonlySet<string>
  readonly next: ChangePlace
}

/** Changes of one read, and reads at once: with more changes, a look-up of all that is waited for is no dearer. */
const changesPerRead = 500
const readsMax = 4

/** null where the journal does not list all of them, or where they are many. */
export async function readChangedRecords(
  journal: ChangeJournal,
  after: ChangePlace,
): Promise<ChangedRecords | null> {
  const names = new Set<string>()
  let place = after
  for (let read = 0; read < readsMax; read++) {
    const { changes, next, hasMore } = await journal.listChanges(place, changesPerRead)
    place = next
    for (const change of changes) {
      if (change.kind === 'reset') return null
      for (const name of namesOf(change)) names.add(name)
    }
    if (!hasMore) return { names, next: place }
  }
  return null
}

function namesOf(change: Change): readonly string[] {
  switch (change.kind) {
    case 'schema':
      return [recordName('schema', change.schema.key), transactionName(change.schema.transactionHash)]
    case 'attestation':
    case 'revocation': {
      const { key, detail, revocation } = change.attestation
      const revoking = revocation === null ? [] : [transactionName(revocation.transactionHash)]
      return [recordName('attestation', key), transactionName(detailOf(detail).transactionHash), ...revoking]
    }
    default:
      return []
  }
}

/** The name of a record, or of a transaction, among those that changed. */
export function wantedName(wanted: WantedRecord): string {
  return wanted.kind === 'transaction' ? transactionName(wanted.hash) : recordName(wanted.kind, wanted.key)
}

function recordName(kind: 'attestation' | 'schema', { chainId, localId }: RecordKey): string {
  return `${kind} ${chainId} ${localId}`
}

function transactionName(hash: string): string {
  return `transaction ${hash}`
}
