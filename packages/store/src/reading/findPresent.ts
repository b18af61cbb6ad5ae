import type { Hash } from '@attestry/core/model/hex.ts'
import type { WantedRecord } from '@attestry/core/index/indexQueries.ts'
import { hexBytes, transactionKey } from '../layout/hexColumn.ts'
import type { KeyColumns, Reads } from '../port/reads.ts'
import { revokingDigits } from './findTransaction.ts'
import { isRecord, recordKeys } from './recordKeys.ts'

/** Finds out which of these records are indexed, in their order, by one statement for each kind. */
export async function findPresent(reads: Reads, wanted: readonly WantedRecord[]): Promise<boolean[]> {
  const { dialect } = reads
  const isThere = (alias: string) => isRecord(dialect, alias, 'k')
  const registered = dialect.flag('s.registered', true)
  const present = wanted.map(() => false)

  async function look<Kind extends WantedRecord['kind']>(
    kind: Kind,
    columns: (records: readonly Extract<WantedRecord, { readonly kind: Kind }>[]) => KeyColumns,
    select: string,
  ): Promise<void> {
    type Record = Extract<WantedRecord, { readonly kind: Kind }>
    const places = [...wanted.entries()].filter((entry): entry is [number, Record] => entry[1].kind === kind)
    if (places.length === 0) return
    const rows = await reads.firstOf(select, columns(places.map(([, record]) => record)))
    for (const [index, row] of rows.entries()) {
      const place = places[index]
      if (place !== undefined) present[place[0]] = row !== undefined
    }
  }

  const keysOf = (records: readonly { readonly key: Parameters<typeof recordKeys>[0][number] }[]) =>
    recordKeys(records.map(({ key }) => key))
  await look('attestation', keysOf, `SELECT 1 FROM attestation a WHERE ${isThere('a')}`)
  await look('schema', keysOf, `SELECT 1 FROM schema s WHERE ${isThere('s')} AND ${registered}`)
  await look(
    'transaction',
    (records) => transactionColumns(records.map(({ hash }) => hash)),
    'SELECT 1 WHERE EXISTS (SELECT 1 FROM attestation a WHERE a.transaction_key = k.start AND a.transaction_hash = k.bytes) ' +
      `OR EXISTS (SELECT 1 FROM schema s WHERE ${registered} AND s.transaction_key = k.start AND s.transaction_hash = k.hash) ` +
      `OR EXISTS (SELECT 1 FROM attestation a WHERE substr(a.revoke_transaction, 1, ${revokingDigits}) = k.digits ` +
      'AND a.revoke_transaction = k.hash)',
  )
  return present
}

function transactionColumns(hashes: readonly Hash[]): KeyColumns {
  return {
    start: { type: 'int53', values: hashes.map(transactionKey) },
    bytes: { type: 'bytes', values: hashes.map(hexBytes) },
    hash: { type: 'text', values: hashes },
    digits: { type: 'text', values: hashes.map((hash) => hash.slice(0, revokingDigits)) },
  }
}
