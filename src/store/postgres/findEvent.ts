import type { RecordKey } from '../../model/compositeId.ts'
import type { Hash } from '../../model/hex.ts'
import { positionBlock, type Position } from '../../model/position.ts'
import type { ProvableEvent, ProvenEvent } from '../../model/recordProof.ts'
import type { IndexedContract } from '../indexWriter.ts'
import { positionMask } from '../layout/rowId.ts'
import type { ReadSession } from './readSession.ts'

/** Where an event of a record stands; null where the record is not indexed, or no event of the kind was. */
export async function findEvent(
  { connection }: ReadSession,
  key: RecordKey,
  event: ProvenEvent,
): Promise<ProvableEvent | null> {
  const row = await connection.get<[position: number | null, protocol: string, contractsJson: string]>(
    placeSql[event],
    key.localId.slice(2),
    key.chainId,
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

const placeSql: Readonly<Record<ProvenEvent, string>> = {
  schema: selectPlace('r.position', 'schema', ' AND r.registered'),
  attestation: selectPlace(`r.id & ${positionMask}`, 'attestation', ''),
  // One that was born revoked has no such id.
  revocation: selectPlace(`r.revoked_id & ${positionMask}`, 'attestation', ''),
}

function selectPlace(position: string, table: string, condition: string): string {
  return (
    `SELECT ${position}, r.protocol, coalesce(c.contracts_json, '[]') FROM ${table} r ` +
    `LEFT JOIN chain c ON c.chain_id = r.chain_id WHERE r.local_id = ? AND r.chain_id = ?${condition}`
  )
}
