import type { KnownChain } from '../layout/knownChain.ts'
import type { ReadSession } from './readSession.ts'

/** The chains of the snapshot with their totals, by chain id. */
export function listKnownChains(session: ReadSession): KnownChain[] {
  return session.connection
    .statement<[number, number, number, number, number]>(
      'SELECT chain_id, ordinal, schema_count, attestation_count, revocation_count FROM chain ORDER BY chain_id',
    )
    .all()
    .map(([chainId, ordinal, schemaCount, attestationCount, revocationCount]) => ({
      chainId,
      ordinal,
      schemaCount,
      attestationCount,
      revocationCount,
    }))
}
