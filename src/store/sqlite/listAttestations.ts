import type { RecordKey } from '../../model/compositeId.ts'
import type { AttestationQuery, Page, StoredAttestation } from '../indexReader.ts'
import { listKind } from '../layout/listKinds.ts'
import { readAttestationPage, readSummaryPage, type AttestationWalk } from './attestationPage.ts'
import { listAttestationsByKeyword } from './keywordAttestations.ts'
import { pageBounds, type CountedList } from './locateOffset.ts'
import type { ReadSession } from './readSession.ts'
import { findSchemaRow } from './storedSchema.ts'

export function listAttestations(session: ReadSession, query: AttestationQuery): Page<StoredAttestation> {
  if (query.keyword !== null) {
    return listAttestationsByKeyword(session, { ...query, keyword: query.keyword })
  }
  const source = findSource(session, query.schema)
  const bounds = pageBounds(session, [source.counted], source.counted.count, query)
  const rows = bounds === null ? [] : readAttestationPage(session, source.walks, bounds, query.fields)
  return { total: source.counted.count, rows }
}

export function listAttestationSummaries(
  session: ReadSession,
  query: AttestationQuery,
): { readonly total: number; readonly rowsJson: string } {
  if (query.keyword !== null) {
    const { total, rows } = listAttestations(session, { ...query, fields: { detail: false, schema: false } })
    return { total, rowsJson: `[${rows.map((row) => `{${row.summaryJson}}`).join(',')}]` }
  }
  const source = findSource(session, query.schema)
  const bounds = pageBounds(session, [source.counted], source.counted.count, query)
  const rowsJson = bounds === null ? '[]' : readSummaryPage(session, source.walks, bounds)
  return { total: source.counted.count, rowsJson }
}

interface ListSource {
  readonly counted: CountedList
  readonly walks: readonly AttestationWalk[]
}

function findSource(session: ReadSession, schema: RecordKey | null): ListSource {
  if (schema === null) {
    return {
      counted: {
        list: { kind: listKind.attestations, ownerId: 0, scopeId: 0 },
        count: session.snapshot.attestationCount,
      },
      walks: [{ table: 'attestation', condition: 'true', parameters: [], chainId: null }],
    }
  }
  const row = findSchemaRow(session, schema)
  return {
    counted: {
      list: { kind: listKind.attestationsOfSchema, ownerId: row?.id ?? -1, scopeId: 0 },
      count: row?.attestationCount ?? 0,
    },
    walks: [
      {
        table: 'attestation',
        condition: 'schema_id = ?',
        parameters: [row?.id ?? -1],
        chainId: schema.chainId,
      },
    ],
  }
}
