import type { RecordKey } from '../../model/compositeId.ts'
import type { AttestationQuery, Page, StoredAttestation } from '../indexReader.ts'
import { listKind } from '../layout/listKinds.ts'
import { readAttestationPage, readSummaryPage, type AttestationWalk } from './attestationPage.ts'
import { listAttestationsByKeyword } from './keywordAttestations.ts'
import { pageBounds, type CountedList } from './locateOffset.ts'
import type { ReadSession } from './readSession.ts'
import { findSchemaRow } from './storedSchema.ts'

export async function listAttestations(
  session: ReadSession,
  query: AttestationQuery,
): Promise<Page<StoredAttestation>> {
  if (query.keyword !== null) {
    return await listAttestationsByKeyword(session, { ...query, keyword: query.keyword })
  }
  const { counted, walks } = await findSource(session, query.schema)
  const bounds = await pageBounds(session, [counted], counted.count, query)
  const rows = bounds === null ? [] : await readAttestationPage(session, walks, bounds, query.fields)
  return { total: counted.count, rows }
}

export async function listAttestationSummaries(
  session: ReadSession,
  query: AttestationQuery,
): Promise<{ readonly total: number; readonly rowsJson: string }> {
  if (query.keyword !== null) {
    const fields = { detail: false, schema: false }
    const { total, rows } = await listAttestations(session, { ...query, fields })
    return { total, rowsJson: `[${rows.map((row) => `{${row.summaryJson}}`).join(',')}]` }
  }
  const { counted, walks } = await findSource(session, query.schema)
  const bounds = await pageBounds(session, [counted], counted.count, query)
  const rowsJson = bounds === null ? '[]' : await readSummaryPage(session, walks, bounds)
  return { total: counted.count, rowsJson }
}

interface ListSource {
  readonly counted: CountedList
  readonly walks: readonly AttestationWalk[]
}

async function findSource(session: ReadSession, schema: RecordKey | null): Promise<ListSource> {
  if (schema === null) {
    const list = { kind: listKind.attestations, ownerId: 0, scopeId: 0 }
    return {
      counted: { list, count: session.snapshot.attestationCount },
      walks: [{ table: 'attestation', condition: 'true', parameters: [], isChainLeftOut: false }],
    }
  }
  const row = await findSchemaRow(session.connection, schema)
  const ownerId = row?.id ?? -1
  return {
    counted: {
      list: { kind: listKind.attestationsOfSchema, ownerId, scopeId: 0 },
      count: row?.attestationCount ?? 0,
    },
    walks: [
      { table: 'attestation', condition: 'schema_id = ?', parameters: [ownerId], isChainLeftOut: true },
    ],
  }
}
