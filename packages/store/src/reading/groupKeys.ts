import { checksumAddress } from '@attestry/core/model/checksumAddress.ts'
import { formatCompositeId } from '@attestry/core/model/compositeId.ts'
import { parseAddress } from '@attestry/core/model/hex.ts'
import { valueMatchKey } from '@attestry/core/model/keyword.ts'
import { leavesOf } from '@attestry/core/model/decodeStoredPayload.ts'
import type { DecodePayload } from '@attestry/core/model/decodedPayload.ts'
import { contentValues, fieldPathText, type FieldLeaf } from '@attestry/core/model/fieldValues.ts'
import { daySeconds, formatDay } from '@attestry/core/model/time.ts'
import type { AttestationGroup, FieldGroupBy, GroupBy } from '@attestry/core/index/indexQueries.ts'
import type { StoredKey } from '@attestry/core/index/storedRecords.ts'
import type { Dialect } from '../port/dialect.ts'
import type { SqlValue } from '../port/reads.ts'
import type { Pace, Tally, TallyKey } from './tallyRows.ts'

/**
 * The keys of groups. Within the store a key is the text that it is ordered by: addresses are lower case, recipients
 * that are no address are as `valueMatchKey` has them.
 */

/** A field is read from the payload of a row: no expression of the database has it. */
function fieldTallyKey({ path, contents }: FieldGroupBy, decodePayload: DecodePayload): TallyKey {
  const pathText = fieldPathText(path)
  const valuesOf = (leaf: FieldLeaf) => [
    ...(fieldPathText(leaf.path) === pathText ? [leaf.value] : []),
    ...((contents && contentValues(leaf, contents)) ?? []),
  ]
  return {
    of: () => 'NULL',
    readsRow: true,
    isDecoded: true,
    ofRow: (row) => JSON.stringify(leavesOf(row, decodePayload).flatMap(valuesOf)),
  }
}

/**
 * By what the rows of attestations are counted for groups; several values of the database may be one key, or have
 * several.
 */
export function tallyKeyOf(dialect: Dialect, by: GroupBy, decodePayload: DecodePayload): TallyKey {
  if (typeof by === 'object') return fieldTallyKey(by, decodePayload)
  const ofRow = (sql: string, readRow: TallyKey['ofRow']) => ({
    of: () => sql,
    readsRow: true,
    ofRow: readRow,
  })
  switch (by) {
    case 'schema':
      return ofRow(schemaKeySql('a', 'a.schema_local_id'), ({ schema }) =>
        schema === null ? null : schemaKey(schema.key),
      )
    case 'attester':
      return ofRow('a.attester', ({ attester }) => attester.slice(2))
    case 'recipient':
      return ofRow('a.recipients_json', ({ recipientsJson }) => recipientsJson)
    case 'protocol':
      return ofRow('a.protocol', ({ key }) => key.protocol)
    case 'revoked':
      return ofRow(dialect.isNull('a.revoke_timestamp', false), ({ revocation }) => revocation !== null)
    case 'chain':
      return { of: ({ chain }) => chain, readsRow: false, ofRow: ({ key }) => key.chainId }
    case 'day':
    case 'month':
      return {
        of: ({ timestamp }) => `${timestamp} / ${daySeconds}`,
        readsRow: false,
        ofRow: ({ place }) => Math.floor(place.timestamp / daySeconds),
      }
  }
}

/** The key of a schema's group: protocols may have schemas of the same composite id. */
export function schemaKey(key: StoredKey): string {
  return `${formatCompositeId(key)} ${key.protocol}`
}

/** The same of a row, whose local id of the schema (without `0x`) an expression holds. */
export function schemaKeySql(alias: string, localId = `${alias}.local_id`): string {
  return `'onchain_evm_' || ${alias}.chain_id || '_0x' || ${localId} || ' ' || ${alias}.protocol`
}

/** The counts of groups from those of rows, which are taken out of the tally: both together would take twice the memory. */
export async function groupsOf(by: GroupBy, tally: Tally, pace: Pace | null): Promise<Map<string, number>> {
  const groups = new Map<string, number>()
  let left = Infinity
  if (pace?.isShared === true) left = await pace.next()
  for (const [value, count] of tally) {
    tally.delete(value)
    for (const key of keysOf(by, value)) groups.set(key, (groups.get(key) ?? 0) + count)
    left -= 1
    if (left <= 0 && pace !== null) left = await pace.next()
  }
  return groups
}

/** Each key once of an attestation whose row has a value. */
function keysOf(by: GroupBy, value: SqlValue): Iterable<string> {
  if (typeof by === 'object') return new Set(JSON.parse(String(value)) as string[])
  switch (by) {
    case 'attester':
      return [`0x${String(value).toLowerCase()}`]
    case 'recipient':
      return new Set((JSON.parse(String(value)) as string[]).map(valueMatchKey))
    case 'revoked':
      return [String(Boolean(value))]
    case 'day':
    case 'month':
      return [dayKey(by, Number(value))]
    default:
      return [String(value)]
  }
}

/** The key of a day since the epoch. */
export function dayKey(by: 'day' | 'month', day: number): string {
  const date = formatDay(day)
  return by === 'day' ? date : date.slice(0, -'-dd'.length)
}

/** The first groups in the order of answers. Groups that cannot be among them are not kept to be sorted. */
export function firstGroups(
  by: GroupBy,
  groups: Iterable<[string, number]>,
  depth: number,
): AttestationGroup[] {
  const compare = by === 'day' || by === 'month' ? byTime : byCount
  const first: AttestationGroup[] = []
  let last: AttestationGroup | undefined
  for (const [key, count] of groups) {
    const group = { key, count }
    if (last !== undefined && compare(group, last) > 0) continue
    first.push(group)
    if (first.length < 2 * depth) continue
    first.sort(compare)
    first.length = depth
    last = first.at(-1)
  }
  return first.sort(compare).slice(0, depth)
}

/** Years have four digits or more. */
function byTime(a: AttestationGroup, b: AttestationGroup): number {
  return b.key.length - a.key.length || (a.key < b.key ? 1 : -1)
}

/** Groups with more attestations first, then by key. */
export function byCount(a: AttestationGroup, b: AttestationGroup): number {
  return b.count - a.count || (a.key < b.key ? -1 : 1)
}

/** A group as answers have it. */
export function presentGroup(by: GroupBy, { key, count }: AttestationGroup): AttestationGroup {
  if (by === 'schema') {
    const [id = key, protocol = ''] = key.split(' ')
    return { key: id, protocol, count }
  }
  const address = by === 'attester' || by === 'recipient' ? parseAddress(key) : null
  return { key: address === null ? key : checksumAddress(address), count }
}
