import type { AttestationFilter } from '../indexQueries.ts'
import type { AttestationFields, Page, PageRequest, StoredAttestation } from '../indexReader.ts'
import { resolveParts } from './attestationFilter.ts'
import { readAttestationPage } from './attestationPage.ts'
import { fieldArms } from './fieldArms.ts'
import { fieldListsOf } from './knownCounts.ts'
import { pageBounds } from './locateOffset.ts'
import type { ReadSession } from './session.ts'

/**
 * A page of a filter by one condition on a field, with or without a schema and a chain and nothing else; null where no
 * disjoint lists answer the condition.
 */
export async function listAttestationsOfField(
  session: ReadSession,
  filter: AttestationFilter,
  page: PageRequest,
  fields: AttestationFields,
): Promise<Page<StoredAttestation> | null> {
  const [only, ...others] = await resolveParts(session.connection, filter)
  if (only === undefined) return { total: 0, rows: [] }
  const { resolved } = only
  const lists = others.length > 0 ? null : fieldListsOf(resolved.fields)
  if (lists === null) return null
  const total = lists.reduce((sum, { count }) => sum + count, 0)
  const bounds = await pageBounds(session, lists, total, page)
  if (bounds === null) return { total, rows: [] }
  const { dialect } = session.connection
  const arms = resolved.fields.flatMap((field) => fieldArms(dialect, field, field.lists ?? []))
  return { total, rows: await readAttestationPage(session, arms, bounds, fields) }
}
