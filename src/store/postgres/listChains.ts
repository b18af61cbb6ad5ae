import type { ChainOverview } from '../indexReader.ts'
import { chainStatusOf, type ChainColumns } from '../layout/chainStatus.ts'
import type { Connection } from './connection.ts'

/** Every chain that the index knows, by chain id; what is indexed comes from the checkpoint, not from the saved status. */
export async function listChains(connection: Connection): Promise<ChainOverview[]> {
  const rows = await connection.all<[...ChainColumns, anchorsJson: string]>(
    'SELECT chain_id, name, contracts_json, status_json, checkpoint_block, checkpoint_timestamp, schema_count, ' +
      'attestation_count, revocation_count, undecodable_count, ' +
      "(SELECT coalesce(json_agg(json_build_array(kind, count) ORDER BY kind), '[]') FROM anchor_count n " +
      'WHERE n.chain_id = c.chain_id)::text FROM chain c ORDER BY chain_id',
  )
  return rows.map(([...row]) => {
    const columns = row.slice(0, 10) as ChainColumns
    return {
      status: chainStatusOf(columns),
      schemaCount: row[6],
      attestationCount: row[7],
      revocationCount: row[8],
      undecodableCount: row[9],
      // Made by the statement above.
      anchorCounts: Object.fromEntries(JSON.parse(row[10]) as [string, number][]),
    }
  })
}
