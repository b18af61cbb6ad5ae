import type { Changes } from '../layout/changes.ts'
import type { Connection } from './connection.ts'

/**
 * Writes by how much a transaction moved the totals of protocols and their counts by day; the last thing it does, as claims that are settled
 * count too.
 */
export async function writeProtocolCounts(connection: Connection, changes: Changes): Promise<void> {
  const { chainId } = changes.chain
  const moves = [...changes.protocols]
  if (moves.length > 0) {
    await connection.run(
      'INSERT INTO protocol_count AS p (chain_id, protocol, schema_count, attestation_count, revocation_count) ' +
        'SELECT ?::bigint, u.* FROM unnest(?::text[], ?::bigint[], ?::bigint[], ?::bigint[]) AS u ' +
        'ON CONFLICT (chain_id, protocol) DO UPDATE SET schema_count = p.schema_count + excluded.schema_count, ' +
        'attestation_count = p.attestation_count + excluded.attestation_count, ' +
        'revocation_count = p.revocation_count + excluded.revocation_count',
      chainId,
      moves.map(([protocol]) => protocol),
      moves.map(([, { schemas }]) => schemas),
      moves.map(([, { attestations }]) => attestations),
      moves.map(([, { revocations }]) => revocations),
    )
  }
  const days = moves.flatMap(([protocol, moved]) =>
    [...moved.days].map(([day, counts]) => ({ protocol, day, ...counts })),
  )
  if (days.length > 0) {
    await connection.run(
      'INSERT INTO protocol_day AS p (chain_id, protocol, day, schema_count, attestation_count) ' +
        'SELECT ?::bigint, u.* FROM unnest(?::text[], ?::integer[], ?::bigint[], ?::bigint[]) AS u ' +
        'ON CONFLICT (chain_id, protocol, day) DO UPDATE SET schema_count = p.schema_count + excluded.schema_count, ' +
        'attestation_count = p.attestation_count + excluded.attestation_count',
      chainId,
      days.map(({ protocol }) => protocol),
      days.map(({ day }) => day),
      days.map(({ schemas }) => schemas),
      days.map(({ attestations }) => attestations),
    )
  }
  if (changes.sign > 0) return
  for (const table of ['protocol_count', 'protocol_day']) {
    await connection.run(
      `DELETE FROM ${table} WHERE chain_id = ? AND schema_count = 0 AND attestation_count = 0`,
      chainId,
    )
  }
}
