import type { ChainStatus } from '../../model/chainState.ts'
import { findChainRow } from './chainRow.ts'
import type { Connection } from './connection.ts'
import { insertChain } from './openChain.ts'

/** Keeps the freshness of a chain, also of one that was never opened because none of its endpoints answered. */
export function saveChainStatus(connection: Connection, status: ChainStatus): void {
  if (findChainRow(connection, status.chainId) === null) {
    insertChain(connection, status.chainId, status.name, '[]')
  }
  connection
    .statement('UPDATE chain SET status_json = ? WHERE chain_id = ?')
    .run(JSON.stringify(status), status.chainId)
}
