import type { KnownChain } from '../layout/knownChain.ts'
import type { Connection } from './connection.ts'

/** The chains of the snapshot with their totals, by chain id. */
export async function listKnownChains(connection: Connection): Promise<KnownChain[]> {
  const rows = await connection.all<[number, number, number, number, number]>(
    'SELECT chain_id, ordinal, schema_count, attestation_count, revocation_count FROM chain ORDER BY chain_id',
  )
  return rows.map(([chainId, ordinal, schemaCount, attestationCount, revocationCount]) => ({
    chainId,
    ordinal,
    schemaCount,
    attestationCount,
    revocationCount,
  }))
}
