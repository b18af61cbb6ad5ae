import type { KnownChain } from '../layout/knownChain.ts'
import type { Reads } from '../port/reads.ts'
import { findOnce, type ReadSession } from './session.ts'

/**
 * The chains of the snapshot with their totals, by chain id. They are remembered while the version stays: no total
 * moves without it.
 */
export function listKnownChains({ connection, memo }: ReadSession): Promise<readonly KnownChain[]> {
  return findOnce(memo.chains, 'all', () => findChains(connection))
}

async function findChains(reads: Reads): Promise<KnownChain[]> {
  const rows = await reads.all<[number, number, number, number, number]>(
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
