import type { RecordKey } from '@attestry/core/model/compositeId.ts'
import type { Hash } from '@attestry/core/model/hex.ts'
import { positionBlock, type Position } from '@attestry/core/model/position.ts'
import type { ProvableEvent, ProvenEvent } from '@attestry/core/model/recordProof.ts'
import type { IndexedContract } from '@attestry/core/model/indexedContract.ts'
import { positionMask } from '../layout/rowId.ts'
import type { Dialect } from '../port/dialect.ts'
import { firstByProtocol, isRecord, recordParameters } from './recordKeys.ts'
import type { ReadSession } from './session.ts'

/** Finds the place of a record's event on its chain; null if the record or the event is not indexed. */
export async function findEvent(
  { connection }: ReadSession,
  key: RecordKey,
  event: ProvenEvent,
): Promise<ProvableEvent | null> {
  const row = await connection.get<[position: number | null, protocol: string, contractsJson: string]>(
    placeSql(connection.dialect, event),
    ...recordParameters(key),
  )
  if (row === undefined || row[0] === null) return null
  const position = row[0] as Position
  const protocol = row[1]
  // Written as such by the writer.
  const contracts = JSON.parse(row[2]) as IndexedContract[]
  const block = await connection.get<[string]>(
    'SELECT hash FROM recent_block WHERE chain_id = ? AND number = ?',
    key.chainId,
    positionBlock(position),
  )
  return {
    event,
    key,
    protocol,
    position,
    blockHash: block === undefined ? null : (block[0] as Hash),
    contracts: contracts
      .filter((each) => each.protocol === protocol)
      .flatMap(({ address, schemaRegistry }) =>
        schemaRegistry === null ? [address] : [address, schemaRegistry],
      ),
  }
}

function placeSql(dialect: Dialect, event: ProvenEvent): string {
  switch (event) {
    case 'schema':
      return selectPlace(dialect, 'r.position', 'schema', ` AND ${dialect.flag('r.registered', true)}`)
    case 'attestation':
      return selectPlace(dialect, `r.id & ${positionMask}`, 'attestation', '')
    // An attestation that was revoked when it was made has no revocation event, and no such id.
    case 'revocation':
      return selectPlace(dialect, `r.revoked_id & ${positionMask}`, 'attestation', '')
  }
}

function selectPlace(dialect: Dialect, position: string, table: string, condition: string): string {
  return (
    `SELECT ${position}, r.protocol, coalesce(c.contracts_json, '[]') FROM ${table} r ` +
    `LEFT JOIN chain c ON c.chain_id = r.chain_id WHERE ${isRecord(dialect, 'r')}${condition}${firstByProtocol('r')} LIMIT 1`
  )
}
