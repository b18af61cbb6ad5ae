import type { Changes } from '../layout/changes.ts'
import type { Connection } from './connection.ts'

/**
 * Writes by how much a transaction moved the totals of protocols and their counts by day; the last thing it does, as claims that are settled
 * count too.
 */
export function writeProtocolCounts(connection: Connection, changes: Changes): void {
  const { chainId } = changes.chain
  for (const [protocol, { schemas, attestations, revocations, days }] of changes.protocols) {
    connection
      .statement(
        'INSERT INTO protocol_count (chain_id, protocol, schema_count, attestation_count, revocation_count) ' +
          'VALUES (?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET schema_count = schema_count + excluded.schema_count, ' +
          'attestation_count = attestation_count + excluded.attestation_count, ' +
          'revocation_count = revocation_count + excluded.revocation_count',
      )
      .run(chainId, protocol, schemas, attestations, revocations)
    for (const [day, moved] of days) {
      connection
        .statement(
          'INSERT INTO protocol_day (chain_id, protocol, day, schema_count, attestation_count) VALUES (?, ?, ?, ?, ?) ' +
            'ON CONFLICT DO UPDATE SET schema_count = schema_count + excluded.schema_count, ' +
            'attestation_count = attestation_count + excluded.attestation_count',
        )
        .run(chainId, protocol, day, moved.schemas, moved.attestations)
    }
  }
  if (changes.sign > 0) return
  for (const table of ['protocol_count', 'protocol_day']) {
    connection
      .statement(`DELETE FROM ${table} WHERE chain_id = ? AND schema_count = 0 AND attestation_count = 0`)
      .run(chainId)
  }
}
