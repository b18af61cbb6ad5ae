import type { KnownChain } from '../layout/knownChain.ts'
import type { Connection } from './connection.ts'
import { findOnce } from '../reading/session.ts'
import type { ReadSession } from './readSession.ts'

/** The chains of the snapshot with their totals, by chain id; remembered until the version moves, as each of their totals does with it. */
export function listKnownChains({ connection, memo }: ReadSession): Promise<readonly KnownChain[]> {
  return findOnce(memo.chains, 'all', () => findChains(connection))
}

async function findChains(connection: Connection): Promise<KnownChain[]> {
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
