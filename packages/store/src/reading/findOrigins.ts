import type { RecordKey } from '@attestry/core/model/compositeId.ts'
import { positionBlock, type Position } from '@attestry/core/model/position.ts'
import type { AttestationOrigin } from '@attestry/core/index/storedRecords.ts'
import { bytesHex } from '../layout/hexColumn.ts'
import { positionMask } from '../layout/rowId.ts'
import { perDialect } from '../port/dialect.ts'
import type { Reads } from '../port/reads.ts'
import { cutOf } from './cut.ts'
import { firstByProtocol, isRecord, recordKeys } from './recordKeys.ts'
import type { StatementSession } from './session.ts'

const attestationSql = perDialect(
  (dialect) =>
    `SELECT a.id & ${positionMask}, a.revoked_id & ${positionMask}, a.contract_version, a.subject ` +
    `FROM attestation a WHERE ${isRecord(dialect, 'a', 'k')}${firstByProtocol('a')}`,
)

const schemaSql = perDialect(
  (dialect) =>
    `SELECT s.position FROM schema s WHERE ${isRecord(dialect, 's', 'k')} ` +
    `AND ${dialect.flag('s.registered', true)}${firstByProtocol('s')}`,
)

type OriginRow = [
  position: number,
  revokedPosition: number | null,
  contractVersion: number | null,
  subject: Uint8Array | null,
]

export async function findAttestationOrigins(
  { connection: reads, cut }: StatementSession,
  keys: readonly RecordKey[],
): Promise<(AttestationOrigin | null)[]> {
  const rows = await reads.firstOf<OriginRow>(attestationSql(reads.dialect), recordKeys(keys))
  return rows.map((row, index) => {
    if (row === undefined) return null
    const [position, revokedAt, contractVersion, subject] = row
    const last = cut === null ? Infinity : (cutOf(cut, keys[index]?.chainId ?? -1)?.position ?? -1)
    if (position > last) return null
    const revokedPosition = revokedAt === null || revokedAt > last ? null : revokedAt
    return {
      blockNumber: positionBlock(position as Position),
      revokedBlockNumber: revokedPosition === null ? null : positionBlock(revokedPosition as Position),
      contractVersion,
      subject: subject === null ? null : bytesHex(subject),
    }
  })
}

export async function findSchemaBlocks(reads: Reads, keys: readonly RecordKey[]): Promise<(number | null)[]> {
  const rows = await reads.firstOf<[position: number]>(schemaSql(reads.dialect), recordKeys(keys))
  return rows.map((row) => (row === undefined ? null : positionBlock(row[0] as Position)))
}
