import type { BlockRef } from '../../model/chainState.ts'
import type { Hash } from '../../model/hex.ts'
import { unixSeconds } from '../../model/time.ts'
import type { ChainIdentity, IndexedContract, OpenedChain } from '../indexWriter.ts'
import { findRewind, sortContracts } from '../layout/contracts.ts'
import { checkOrdinal } from '../layout/rowId.ts'
import { findChainRow } from './chainRow.ts'
import type { Connection } from './connection.ts'

/**
 * Makes a chain known, or updates its name and contracts. A rewind that a change of contracts asks for is kept until blocks
 * are reverted that far, so that it is not lost when the process ends in between.
 */
export function openChain(connection: Connection, chain: ChainIdentity): OpenedChain {
  const { chainId } = chain
  const known = findChainRow(connection, chainId)
  const contracts = sortContracts(chain.contracts)
  if (known === null) {
    insertChain(connection, chainId, chain.name, JSON.stringify(contracts))
    return { checkpoint: null, recentBlocks: [], rewindTo: null }
  }
  const rewindTo = findRewind(
    known.checkpointBlock,
    known.rewindTo,
    readContracts(connection, chainId),
    contracts,
  )
  connection
    .statement('UPDATE chain SET name = ?, contracts_json = ?, rewind_to = ? WHERE chain_id = ?')
    .run(chain.name, JSON.stringify(contracts), rewindTo, chainId)
  return {
    checkpoint:
      known.checkpointBlock === null
        ? null
        : { blockNumber: known.checkpointBlock, timestamp: known.checkpointTimestamp },
    recentBlocks: readRecentBlocks(connection, chainId),
    rewindTo,
  }
}

/** Gives a chain that is not in the database yet the next ordinal. */
export function insertChain(
  connection: Connection,
  chainId: number,
  name: string,
  contractsJson: string,
): void {
  const next =
    connection.statement<[number]>('SELECT coalesce(max(ordinal) + 1, 0) FROM chain').get()?.[0] ?? 0
  connection
    .statement('INSERT INTO chain (ordinal, chain_id, name, contracts_json) VALUES (?, ?, ?, ?)')
    .run(checkOrdinal(next), chainId, name, contractsJson)
}

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
