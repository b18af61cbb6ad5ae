import type { RecordKey } from '../../model/compositeId.ts'
import type { AttestationFields, StoredAttestation, StoredSchema } from '../indexReader.ts'
import type { ReadSession } from './readSession.ts'
import { attestationColumns, storedAttestationOfRow, type AttestationRow } from './storedAttestation.ts'
import { findSchema } from './storedSchema.ts'

// One prepared statement a key: a third faster than one statement that is given all keys as JSON.

/** The schemas of these keys, in their order; null for each that is not registered. */
export function findSchemas(session: ReadSession, keys: readonly RecordKey[]): (StoredSchema | null)[] {
  return keys.map((key) => findSchema(session, key))
}

/** The attestations of these keys, in their order; null for each that is not indexed. */
export function findAttestations(
  session: ReadSession,
  keys: readonly RecordKey[],
  fields: AttestationFields,
): (StoredAttestation | null)[] {
  const statement = session.connection.statement<AttestationRow>(
    `SELECT ${attestationColumns(fields)} FROM attestation a WHERE a.local_id = ? AND a.chain_id = ?`,
  )
  return keys.map(({ chainId, localId }) => {
    const row = statement.get(localId.slice(2), chainId)
    return row === undefined ? null : storedAttestationOfRow(session, row, fields)
  })
}
