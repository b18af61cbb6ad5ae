import type { RecordKey } from '../../model/compositeId.ts'
import type { AttestationQuery, Page, StoredAttestation } from '../indexReader.ts'
import { listKind } from '../layout/listKinds.ts'
import { everyArm, schemaArm } from './attestationArms.ts'
import { readListPage, readSummaryPage, type ListSource } from './attestationPage.ts'
import { pageBounds } from './locateOffset.ts'
import type { ReadSession } from './session.ts'
import { findSchemaRow } from './storedSchema.ts'

/** A page of all attestations, or of those under a schema. */
export async function listAttestations(
  session: ReadSession,
  query: Omit<AttestationQuery, 'keyword'>,
): Promise<Page<StoredAttestation>> {
  return await readListPage(session, [await findSource(session, query.schema)], query, query.fields)
}

/** The same page as the text of a JSON array of summaries. */
export async function listAttestationSummaries(
  session: ReadSession,
  query: Omit<AttestationQuery, 'keyword' | 'fields'>,
): Promise<{ readonly total: number; readonly rowsJson: string }> {
  const { counted, arms } = await findSource(session, query.schema)
  const bounds = await pageBounds(session, [counted], counted.count, query)
  const rowsJson = bounds === null ? '[]' : await readSummaryPage(session, arms, bounds)
  return { total: counted.count, rowsJson }
}

function findSource(session: ReadSession, schema: RecordKey | null): ListSource | Promise<ListSource> {
  if (schema !== null) return findSourceOfSchema(session, schema)
  const list = { kind: listKind.attestations, ownerId: 0, scopeId: 0 }
  const counted = { list, count: session.snapshot.attestationCount }
  return { counted, arms: [everyArm(session.connection.dialect)] }
}

async function findSourceOfSchema({ connection }: ReadSession, schema: RecordKey): Promise<ListSource> {
  const row = await findSchemaRow(connection, schema)
  const ownerId = row?.id ?? -1
  const list = { kind: listKind.attestationsOfSchema, ownerId, scopeId: 0 }
  const arms = [schemaArm(connection.dialect, ownerId, schema.chainId)]
  return { counted: { list, count: row?.attestationCount ?? 0 }, arms }
}
