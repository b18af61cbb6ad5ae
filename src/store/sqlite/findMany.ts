import type { RecordKey } from '../../model/compositeId.ts'
import type { AttestationFields, StoredAttestation, StoredSchema } from '../indexReader.ts'
import type { ReadSession } from './readSession.ts'
import { attestationColumns, storedAttestationOfRow, type AttestationRow } from './storedAttestation.ts'
import { schemaColumns, storedSchemaOfRow, type SchemaRow } from './storedSchema.ts'

/** The schemas of these keys, in their order, by one statement; null for each that is not registered. */
export function findSchemas(session: ReadSession, keys: readonly RecordKey[]): (StoredSchema | null)[] {
  const found = new Array<StoredSchema | null>(keys.length).fill(null)
  const rows = session.connection
    .statement<[number, ...SchemaRow]>(
      `SELECT k.key, ${schemaColumns} FROM json_each(?) k CROSS JOIN schema s ` +
        "ON s.local_id = k.value ->> '$[0]' AND s.chain_id = k.value ->> '$[1]' WHERE s.registered = 1",
    )
    .all(keysJson(keys))
  for (const [index, ...row] of rows) found[index] = storedSchemaOfRow(row)
  return found
}

/** The attestations of these keys, in their order, by one statement; null for each that is not indexed. */
export function findAttestations(
  session: ReadSession,
  keys: readonly RecordKey[],
  fields: AttestationFields,
): (StoredAttestation | null)[] {
  const found = new Array<StoredAttestation | null>(keys.length).fill(null)
  const rows = session.connection
    .statement<[number, ...AttestationRow]>(
      `SELECT k.key, ${attestationColumns(fields)} FROM json_each(?) k CROSS JOIN attestation a ` +
        "ON a.local_id = k.value ->> '$[0]' AND a.chain_id = k.value ->> '$[1]'",
    )
    .all(keysJson(keys))
  for (const [index, ...row] of rows) found[index] = storedAttestationOfRow(session, row, fields)
  return found
}

function keysJson(keys: readonly RecordKey[]): string {
  return JSON.stringify(keys.map(({ chainId, localId }) => [localId.slice(2), chainId]))
}
