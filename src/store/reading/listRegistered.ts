import type { ChainId } from '../../model/compositeId.ts'
import type { Address } from '../../model/hex.ts'
import type { ProtocolName } from '../../model/records.ts'
import type { RegisteredKind } from '../indexQueries.ts'
import type { StoredRegistration } from '../storedRecords.ts'
import type { Reads, SqlValue } from '../port/reads.ts'

/**
 * The portals or modules of a protocol on a chain, each with its newest metadata. They are few: all rows of metadata
 * are passed.
 */
export async function listRegistered(
  reads: Reads,
  chainId: ChainId,
  protocol: ProtocolName,
  of: RegisteredKind,
): Promise<StoredRegistration[]> {
  const rows = await reads.all<[subject: string, body: SqlValue]>(
    'SELECT subject, body FROM metadata WHERE kind = ? AND chain_id = ? AND protocol = ? ORDER BY id',
    of,
    chainId,
    protocol,
  )
  const bodies = new Map(rows.map(([subject, body]) => [subject, reads.dialect.decodeText(body)]))
  return [...bodies].map(([subject, body]) => ({ address: `0x${subject}` as Address, body }))
}
