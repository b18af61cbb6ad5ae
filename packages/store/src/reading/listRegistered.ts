import type { ChainId } from '@attestry/core/model/compositeId.ts'
import type { Address } from '@attestry/core/model/hex.ts'
import type { ProtocolName } from '@attestry/core/model/records.ts'
import type { RegisteredKind } from '@attestry/core/index/indexQueries.ts'
import type { StoredRegistration } from '@attestry/core/index/storedRecords.ts'
import type { SqlValue } from '../port/reads.ts'
import { cutOf } from './cut.ts'
import type { StatementSession } from './session.ts'

/**
 * The portals or modules of a protocol on a chain, each with its newest metadata. They are few: all rows of metadata
 * are passed.
 */
export async function listRegistered(
  { connection: reads, cut }: StatementSession,
  chainId: ChainId,
  protocol: ProtocolName,
  of: RegisteredKind,
): Promise<StoredRegistration[]> {
  const chain = cut === null ? null : cutOf(cut, chainId)
  if (cut !== null && chain === null) return []
  const rows = await reads.all<[subject: string, body: SqlValue]>(
    'SELECT subject, body FROM metadata WHERE kind = ? AND chain_id = ? AND protocol = ? ' +
      `${chain === null ? '' : 'AND id <= ? '}ORDER BY id`,
    of,
    chainId,
    protocol,
    ...(chain === null ? [] : [chain.upTo]),
  )
  const bodies = new Map(rows.map(([subject, body]) => [subject, reads.dialect.decodeText(body)]))
  return [...bodies].map(([subject, body]) => ({ address: `0x${subject}` as Address, body }))
}
