import { BadParameterError } from '@attestry/core/errors/apiErrors.ts'
import type { FieldCondition } from '@attestry/core/model/fieldCondition.ts'
import type { CheckFields } from '../pipeline/parameters/checkFields.ts'
import { StoreTooMuchWorkError } from '@attestry/core/errors/storeErrors.ts'
import {
  type AttestationFilter,
  type AttestationGroups,
  type GroupBy,
  groupDepthMax,
  type PageRequest,
} from '@attestry/core/index/indexQueries.ts'
import type { PastReader } from '@attestry/core/index/indexReader.ts'

interface GroupServices {
  readonly reader: Pick<PastReader, 'groupAttestations'>
  readonly checkFields: CheckFields
}

/**
 * A page of the groups of the attestations that pass a filter; no filter: that nothing can pass.
 * @throws BadParameterError for a field that the schema does not have, for a page behind the first `groupDepthMax`
 * groups, and where counting takes more than its budget.
 */
export async function pageGroups(
  { reader, checkFields }: GroupServices,
  by: GroupBy,
  filter: AttestationFilter | null,
  request: PageRequest,
): Promise<AttestationGroups> {
  if (typeof by === 'object' && filter !== null && filter.schema === null) {
    throw new BadParameterError('by=field[name] needs schemaId, whose field it is; add it.')
  }
  const checked = await checkFields(filter && { ...filter, fields: [...conditionsOf(by), ...filter.fields] })
  if (checked === null) return { total: 0, groups: 0, rows: [] }
  const found = await groupWithin(reader, ...separated(by, checked), request)
  const { page, size } = request
  const end = Math.min(page * size, found.groups)
  if ((page - 1) * size < found.groups && end > groupDepthMax) {
    throw new BadParameterError(
      `page must be within the first ${groupDepthMax} groups; narrow the filter to see the others.`,
    )
  }
  return found
}

/** A condition without values: the schema has to have the field, and the condition gets the content that has it. */
function conditionsOf(by: GroupBy): readonly FieldCondition[] {
  return typeof by === 'object' ? [{ path: by.path, operator: 'equals', values: [] }] : []
}

/** The condition of the group apart from those of the filter. */
function separated(by: GroupBy, filter: AttestationFilter): readonly [GroupBy, AttestationFilter] {
  if (typeof by !== 'object') return [by, filter]
  const [own, ...fields] = filter.fields
  return [own?.contents === undefined ? by : { ...by, contents: own.contents }, { ...filter, fields }]
}

async function groupWithin(
  reader: Pick<PastReader, 'groupAttestations'>,
  by: GroupBy,
  filter: AttestationFilter,
  { page, size }: PageRequest,
): Promise<AttestationGroups> {
  try {
    return await reader.groupAttestations({ by, filter, page, size })
  } catch (error) {
    if (!(error instanceof StoreTooMuchWorkError)) throw error
    const { rowsMax, durationMaxMs, keysMax } = error.facts
    const budget =
      typeof rowsMax === 'number' && typeof durationMaxMs === 'number' && typeof keysMax === 'number'
        ? ` (${rowsMax} attestations, ${durationMaxMs} milliseconds or ${keysMax} different keys)`
        : ''
    throw new BadParameterError(
      `by=${typeof by === 'object' ? 'field[…]' : by} with these filters takes more counting than one answer may cost${budget}; narrow it by ` +
        `${filter.schema === null ? 'schemaId, ' : ''}attester, recipient, attestedFrom or attestedBefore${page * size > 10_000 ? ', or ask for an earlier page' : ''}.`,
      { cause: error },
    )
  }
}
