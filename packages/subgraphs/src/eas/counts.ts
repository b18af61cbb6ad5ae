import { zeroAddress } from '@attestry/core/model/hex.ts'
import {
  everyAttestation,
  type AttestationFilter,
  groupDepthMax,
  type GroupName,
} from '@attestry/core/index/indexQueries.ts'
import type { FieldValue } from '../engine/condition.ts'
import type { EasContext } from './easContext.ts'
import type { CountedGroups } from '../engine/rowSource.ts'

/** The fields by which the index counts groups, and how it names a value of each. */
const groupsOf: Readonly<Record<string, readonly [by: GroupName, valueOf: (key: string) => FieldValue]>> = {
  schemaId: ['schema', (key) => key.slice(key.lastIndexOf('_') + 1)],
  attester: ['attester', (key) => key],
  recipient: ['recipient', (key) => key],
  revoked: ['revoked', (key) => key === 'true'],
}

/**
 * The groups of the attestations that pass a filter, by the values of one field, as the index counts them.
 * @param wanted how many groups at least, the largest first; null: all.
 * @returns null if the index does not count groups of this field, or has more than it lists.
 */
export async function countGroups(
  { reader, budget }: EasContext,
  filter: AttestationFilter,
  field: string,
  wanted: number | null,
): Promise<CountedGroups | null> {
  const [by, valueOf] = groupsOf[field] ?? []
  if (by === undefined || valueOf === undefined) return null
  // Attestations without a recipient are in no group of the index: all others have to be known.
  const size = wanted === null || by === 'recipient' ? groupDepthMax : wanted
  const { total, groups, rows } = await reader.groupAttestations({ by, filter, page: 1, size })
  if (rows.length < Math.min(groups, size)) return null
  await budget.readRows(rows)
  const counted = rows.map(({ key, count }) => ({ value: valueOf(key), count }))
  const others = total - rows.reduce((sum, { count }) => sum + count, 0)
  if (by === 'recipient' && rows.length < groups) return null
  if (by === 'recipient' && others > 0) counted.push({ value: zeroAddress, count: others })
  return counted
}

/** Most counts that one union is made of. */
const countsMax = 64

/**
 * How many rows pass at least one of the filters, by inclusion and exclusion; null if that takes too many counts.
 * Filters that exclude one another, such as those of different schemas, cost one count each.
 */
export async function countUnion(
  filters: readonly AttestationFilter[],
  count: (filter: AttestationFilter) => Promise<number>,
): Promise<number | null> {
  const terms: { readonly filter: AttestationFilter; readonly sign: 1 | -1 }[] = []
  const isListed = listTerms(filters, 1)
  if (!isListed) return null
  const counts = await Promise.all(terms.map(async ({ filter, sign }) => sign * (await count(filter))))
  return counts.reduce((sum, part) => sum + part, 0)

  /** Adds the terms of a union: the first filter, the union of the others, minus what both have. */
  function listTerms(union: readonly AttestationFilter[], sign: 1 | -1): boolean {
    for (const [index, filter] of union.entries()) {
      if (terms.length === countsMax) return false
      terms.push({ filter, sign })
      const shared = union
        .slice(0, index)
        .map((earlier) => intersect(earlier, filter))
        .filter((both) => both !== null)
      if (!listTerms(shared, sign === 1 ? -1 : 1)) return false
    }
    return true
  }
}

/** The filter of the rows that pass both; null if none can. */
function intersect(a: AttestationFilter, b: AttestationFilter): AttestationFilter | null {
  const merged: Record<string, unknown> = { ...a }
  for (const [name, value] of Object.entries(b)) {
    if (isTime(name))
      merged[name] = combineBounds(name.endsWith('From') ? Math.max : Math.min, a[name], b[name])
    else if (merged[name] === null) merged[name] = value
    else if (value !== null && JSON.stringify(value) !== JSON.stringify(merged[name])) return null
  }
  // Every member is one of `a` or `b`.
  return merged as unknown as AttestationFilter
}

const timeNames = ['attestedFrom', 'attestedBefore', 'revokedFrom', 'revokedBefore'] as const

function isTime(name: string): name is (typeof timeNames)[number] {
  return (timeNames as readonly string[]).includes(name)
}

function combineBounds(
  choose: (...bounds: number[]) => number,
  a: number | null,
  b: number | null,
): number | null {
  return a === null || b === null ? (a ?? b) : choose(a, b)
}

/** The filter of a list of which the index finds any row by rank, which a filter stands for; null for any other. */
export function rankedFilter(filter: AttestationFilter): AttestationFilter | null {
  const { schema, attester, recipient, chainId } = filter
  const ranked = { ...everyAttestation, schema, attester, recipient, chainId }
  // A schema is of one protocol.
  const protocol = schema === null ? filter.protocol : null
  const isMore = JSON.stringify({ ...filter, protocol }) !== JSON.stringify(ranked)
  const isOfChain = schema === null && attester === null && recipient === null
  const isOfTwo = attester !== null && recipient !== null
  return isMore || isOfChain || isOfTwo || (recipient !== null && recipient.kind !== 'address')
    ? null
    : ranked
}
