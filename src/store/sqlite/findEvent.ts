import type { RecordKey } from '../../model/compositeId.ts'
import type { Hash } from '../../model/hex.ts'
import { positionBlock, type Position } from '../../model/position.ts'
import type { ProvableEvent, ProvenEvent } from '../../model/recordProof.ts'
import type { IndexedContract } from '../indexWriter.ts'
import { positionMask } from '../layout/rowId.ts'
import type { Connection } from './connection.ts'
import type { ReadSession } from './readSession.ts'

/** Where an event of a record stands; null where the record is not indexed, or no event of the kind was. */
export function findEvent(
  { connection }: ReadSession,
  key: RecordKey,
  event: ProvenEvent,
): ProvableEvent | null {
  const row = connection
    .statement<[position: number | null, protocol: string]>(placeSql[event])
    .get(key.localId.slice(2), key.chainId)
  if (row === undefined || row[0] === null) return null
  const position = row[0] as Position
  const protocol = row[1]
  const contracts = readContracts(connection, key.chainId).filter((each) => each.protocol === protocol)
  return {
    event,
    key,
    protocol,
    position,
    blockHash: findBlockHash(connection, key.chainId, positionBlock(position)),
    contracts: contracts.flatMap(({ address, schemaRegistry }) =>
      schemaRegistry === null ? [address] : [address, schemaRegistry],
    ),
  }
}

const placeSql: Readonly<Record<ProvenEvent, string>> = {
  schema: 'SELECT position, protocol FROM schema WHERE local_id = ? AND chain_id = ? AND registered = 1',
  attestation: `SELECT id & ${positionMask}, protocol FROM attestation WHERE local_id = ? AND chain_id = ?`,
  // One that was born revoked has no such id.
  revocation: `SELECT revoked_id & ${positionMask}, protocol FROM attestation WHERE local_id = ? AND chain_id = ?`,
}

function readContracts(connection: Connection, chainId: number): readonly IndexedContract[] {
  const row = connection
    .statement<[string]>('SELECT contracts_json FROM chain WHERE chain_id = ?')
    .get(chainId)
  return JSON.parse(row?.[0] ?? '[]') as IndexedContract[]
}

function findBlockHash(connection: Connection, chainId: number, block: number): Hash | null {
  const row = connection
    .statement<[string]>('SELECT hash FROM recent_block WHERE chain_id = ? AND number = ?')
    .get(chainId, block)
  return row === undefined ? null : (row[0] as Hash)
}
