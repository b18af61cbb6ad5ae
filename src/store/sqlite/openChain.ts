import type { BlockRef } from '../../model/chainState.ts'
import type { Hash } from '../../model/hex.ts'
import { unixSeconds } from '../../model/time.ts'
import type { IndexedContract } from '../indexWriter.ts'
import type { Connection } from './connection.ts'

/** The contracts of a chain as it was last opened; none where it never was. */
export function readContracts(connection: Connection, chainId: number): readonly IndexedContract[] {
  const row = connection
    .statement<[string]>('SELECT contracts_json FROM chain WHERE chain_id = ?')
    .get(chainId)
  return JSON.parse(row?.[0] ?? '[]') as IndexedContract[]
}

/** The remembered blocks of a chain, ascending. */
export function readRecentBlocks(connection: Connection, chainId: number): BlockRef[] {
  return connection
    .statement<[number, string, string, number]>(
      'SELECT number, hash, parent_hash, timestamp FROM recent_block WHERE chain_id = ? ORDER BY number',
    )
    .all(chainId)
    .map(([number, hash, parentHash, timestamp]) => ({
      number,
      hash: hash as Hash,
      parentHash: parentHash as Hash,
      timestamp: unixSeconds(timestamp),
    }))
}
