import type { ChainId } from '../../model/compositeId.ts'
import type { ChainRow } from '../layout/entries.ts'
import type { Connection } from './connection.ts'

export async function findChainRow(connection: Connection, chainId: ChainId): Promise<ChainRow | null> {
  const row = await connection.get<
    [number, number | null, number | null, number | null, number, number, number, number]
  >(
    'SELECT ordinal, checkpoint_block, checkpoint_timestamp, rewind_to, schema_count, attestation_count, ' +
      'revocation_count, undecodable_count FROM chain WHERE chain_id = ?',
    chainId,
  )
  if (row === undefined) return null
  return {
    ordinal: row[0],
    chainId,
    checkpointBlock: row[1],
    checkpointTimestamp: row[2],
    rewindTo: row[3],
    schemaCount: row[4],
    attestationCount: row[5],
    revocationCount: row[6],
    undecodableCount: row[7],
  }
}

export async function writeChainRow(connection: Connection, chain: ChainRow): Promise<void> {
  await connection.run(
    'UPDATE chain SET checkpoint_block = ?, checkpoint_timestamp = ?, rewind_to = ?, schema_count = ?, ' +
      'attestation_count = ?, revocation_count = ?, undecodable_count = ? WHERE chain_id = ?',
    chain.checkpointBlock,
    chain.checkpointTimestamp,
    chain.rewindTo,
    chain.schemaCount,
    chain.attestationCount,
    chain.revocationCount,
    chain.undecodableCount,
    chain.chainId,
  )
}
