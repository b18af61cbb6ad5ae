import { BadParameterError } from '../../errors/apiErrors.ts'
import { StoreTooMuchWorkError } from '../../errors/storeErrors.ts'
import {
  groupDepthMax,
  type AttestationFilter,
  type AttestationGroups,
  type GroupName,
  type IndexQueries,
} from '../../store/indexQueries.ts'
import type { PageRequest } from '../../store/indexReader.ts'

/**
 * A page of the groups of the attestations that pass a filter; no filter: that nothing can pass.
 * @throws BadParameterError for a page behind the first `groupDepthMax` groups, and where counting takes more than its budget.
 */
export async function pageGroups(
  queries: Pick<IndexQueries, 'groupAttestations'>,
  by: GroupName,
  filter: AttestationFilter | null,
  request: PageRequest,
): Promise<AttestationGroups> {
  if (filter === null) return { total: 0, groups: 0, rows: [] }
  const found = await groupWithin(queries, by, filter, request)
  const { page, size } = request
  const end = Math.min(page * size, found.groups)
  if ((page - 1) * size < found.groups && end > groupDepthMax) {
    throw new BadParameterError(
      `page must be within the first ${groupDepthMax} groups; narrow the filter to see the others.`,
      { facts: { parameter: 'page' } },
    )
  }
  return found
}

async function groupWithin(
  queries: Pick<IndexQueries, 'groupAttestations'>,
  by: GroupName,
  filter: AttestationFilter,
  { page, size }: PageRequest,
): Promise<AttestationGroups> {
  try {
    return await queries.groupAttestations({ by, filter, page, size })
  } catch (error) {
    if (!(error instanceof StoreTooMuchWorkError)) throw error
    const { rowsMax, durationMaxMs } = error.facts
    const budget =
      typeof rowsMax === 'number' && typeof durationMaxMs === 'number'
        ? ` (${rowsMax} attestations or ${durationMaxMs} milliseconds)`
        : ''
    throw new BadParameterError(
      `by=${by} with these filters takes more counting than one answer may cost${budget}; narrow it by schemaId, attester, ` +
        'recipient, attestedFrom or attestedBefore.',
      { facts: { parameter: 'by' }, cause: error },
    )
  }
}
