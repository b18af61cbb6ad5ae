import type { ChainOverview, IndexReader } from '../indexReader.ts'
import { chainStatusOf, type ChainColumns } from '../layout/chainStatus.ts'
import type { ReadSession } from './readSession.ts'

/** Every chain that the index knows, by chain id; what is indexed comes from the checkpoint, not from the saved status. */
export function listChains(session: ReadSession): Awaited<ReturnType<IndexReader['listChains']>> {
  const anchors = session.connection
    .statement<[number, string, number]>(
      'SELECT chain_id, kind, count FROM anchor_count ORDER BY chain_id, kind',
    )
    .all()
  return session.connection
    .statement<ChainColumns>(
      'SELECT chain_id, name, contracts_json, status_json, checkpoint_block, checkpoint_timestamp, schema_count, ' +
        'attestation_count, revocation_count, undecodable_count FROM chain ORDER BY chain_id',
    )
    .all()
    .map(
      (row): ChainOverview => ({
        status: chainStatusOf(row),
        schemaCount: row[6],
        attestationCount: row[7],
        revocationCount: row[8],
        undecodableCount: row[9],
        anchorCounts: Object.fromEntries(
          anchors.filter(([chainId]) => chainId === row[0]).map(([, kind, count]) => [kind, count]),
        ),
      }),
    )
}
