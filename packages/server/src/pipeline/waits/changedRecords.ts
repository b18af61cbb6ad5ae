import type { RecordKey } from '@attestry/core/model/compositeId.ts'
import { detailOf } from '@attestry/core/model/recordJson.ts'
import type { Change, WantedRecord } from '@attestry/core/index/indexQueries.ts'

/** The names (`wantedName`) of the records that changed; null: any record may have. */
export function namesOfChanged(changes: readonly Change[] | null): ReadonlySet<string> | null {
  if (changes === null || changes.some(({ kind }) => kind === 'reset')) return null
  return new Set(changes.flatMap(namesOf))
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
