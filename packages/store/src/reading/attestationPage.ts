import type { Page, PageRequest } from '@attestry/core/index/indexQueries.ts'
import type { AttestationFields, StoredAttestation } from '@attestry/core/index/storedRecords.ts'
import { attestationJson } from '../port/attestationJson.ts'
import { findPage } from './countAsOf.ts'
import type { CountedList, PageBounds } from './locateOffset.ts'
import { readPage, type WalkArm } from './rowWalk.ts'
import type { ReadSession } from './session.ts'
import { attestationRows, storedAttestations, type AttestationRow } from './storedAttestation.ts'

/** A list, and the arms by which its rows are walked. */
export interface ListSource {
  readonly counted: CountedList
  readonly arms: readonly WalkArm[]
}

/** A page of the union of disjoint lists. */
export async function readListPage(
  session: ReadSession,
  sources: readonly ListSource[],
  request: PageRequest,
  fields: AttestationFields,
): Promise<Page<StoredAttestation>> {
  const lists = sources.map(({ counted }) => counted)
  const { total, bounds } = await findPage(session, lists, request)
  if (bounds === null) return { total, rows: [] }
  const arms = sources.flatMap((source) => source.arms)
  return { total, rows: await readAttestationPage(session, arms, bounds, fields) }
}

/** The attestations of a page, newest first. */
export async function readAttestationPage(
  session: ReadSession,
  arms: readonly WalkArm[],
  bounds: PageBounds,
  fields: AttestationFields,
): Promise<StoredAttestation[]> {
  if (arms.length === 0) return []
  const { connection } = session
  const select = attestationRows(connection.dialect, fields)
  const rows = await readPage<AttestationRow>(connection, arms, bounds, select)
  return await storedAttestations(session, rows, fields)
}

/** The same page as the text of a JSON array of summaries. */
export async function readSummaryPage(
  { connection }: ReadSession,
  arms: readonly WalkArm[],
  bounds: PageBounds,
): Promise<string> {
  if (arms.length === 0) return '[]'
  const { dialect } = connection
  const select = {
    columns: attestationJson(dialect).summary,
    joined: 'attestation a ON a.id = m.o',
    inWalk: dialect.readsRowsInWalk,
  }
  let text = ''
  for (const [summaryJson] of await readPage<[string]>(connection, arms, bounds, select)) {
    text += text === '' ? `{${summaryJson}}` : `,{${summaryJson}}`
  }
  return `[${text}]`
}
