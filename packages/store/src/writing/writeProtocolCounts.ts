import type { Changes } from '../layout/changes.ts'
import type { Tables } from '../port/tables.ts'

/**
 * Writes the moves of the totals of protocols and of their counts by day. This is the last step of a transaction, as
 * claims that are settled count too.
 */
export async function writeProtocolCounts(tables: Tables, { chain, protocols }: Changes): Promise<void> {
  const { chainId } = chain
  const totals = Array.from(protocols, ([protocol, { schemas, attestations, revocations }]) => ({
    chain_id: chainId,
    protocol,
    schema_count: schemas,
    attestation_count: attestations,
    revocation_count: revocations,
  }))
  await tables.add('protocol_count', totals)
  const days = [...protocols].flatMap(([protocol, moves]) =>
    Array.from(moves.days, ([day, { schemas, attestations }]) => {
      return { chain_id: chainId, protocol, day, schema_count: schemas, attestation_count: attestations }
    }),
  )
  await tables.add('protocol_day', days)
}
