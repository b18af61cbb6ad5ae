import { zeroAddress } from '@attestry/core/model/hex.ts'
import { type AttestationFilter, groupDepthMax, type GroupName } from '@attestry/core/index/indexQueries.ts'
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
 * @returns null where the index does not count groups of this field, or has more than it lists.
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
