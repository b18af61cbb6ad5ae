import type { LocalId } from '../../model/compositeId.ts'
import type { AttestationFields, Page, PageRequest, SearchGroup, StoredAttestation } from '../indexReader.ts'
import { readAttestationPage, type AttestationWalk } from '../reading/attestationPage.ts'
import type { ReadSession } from './readSession.ts'

/**
 * Attestations whose local id begins with a digit or two: a sixteenth of an index or more, too many to be gathered. An index
 * has them by the first two digits of their ids in the order of listings: the ids that begin with two digits are one walk of it, those
 * that begin with one digit are seventeen that are merged, and their number is that of entries in one range.
 */

/** Digits by which the index of groups knows an id. */
const groupDigits = 2

const group = `substr(local_id, 1, ${groupDigits})`

const hexDigits = Array.from({ length: 16 }, (_, digit) => digit.toString(16))

/** What a short prefix is asked for with: `valueKey` finds the other attestations that the keyword does. */
export interface PrefixQuery extends PageRequest {
  readonly digits: string
  readonly valueKey: Uint8Array
  readonly fields: AttestationFields
}

export function isShortPrefix(digits: string): boolean {
  return digits.length > 0 && digits.length <= groupDigits
}

/** How many attestations have an id that begins so. */
export async function countPrefix({ connection }: ReadSession, digits: string): Promise<number> {
  const row = await connection.get<[number]>(
    `SELECT count(*) FROM attestation WHERE ${group} >= ? AND ${group} < ?`,
    digits,
    `${digits}g`,
  )
  return row?.[0] ?? 0
}

/** A page of those, and of those that hold the value without having such an id, newest first. */
export async function listByPrefix(
  session: ReadSession,
  query: PrefixQuery,
): Promise<Page<StoredAttestation>> {
  const { digits, page, size } = query
  const total = (await countPrefix(session, digits)) + (await countOtherValues(session, query))
  const skip = (page - 1) * size
  if (skip >= total) return { total, rows: [] }
  const bounds = { maxTimestamp: Number.MAX_SAFE_INTEGER, skip, limit: size }
  const walks = [...groupWalks(digits), valuesWithoutPrefix(query)]
  return { total, rows: await readAttestationPage(session, walks, bounds, query.fields) }
}

/** The best of them: exact ids, then values, then longer ids; among equals the order of the listing. */
export async function searchByPrefix(
  session: ReadSession,
  query: Omit<PrefixQuery, 'page'>,
): Promise<SearchGroup<StoredAttestation>> {
  const { digits, size: limit, fields } = query
  const total = (await countPrefix(session, digits)) + (await countOtherValues(session, query))
  const read = async (walks: readonly AttestationWalk[], count: number) => {
    const bounds = { maxTimestamp: Number.MAX_SAFE_INTEGER, skip: 0, limit: count }
    return await readAttestationPage(session, walks, bounds, fields)
  }
  const exact: AttestationWalk = {
    table: 'attestation',
    condition: 'local_id = ?',
    parameters: [digits],
    chainId: null,
  }
  const ids = await read([exact], limit)
  const first = [...ids, ...(await read([valuesNotExact(query)], limit - ids.length))]
  const found = new Set(first.map(keyOf))
  const longer = await read(groupWalks(digits), limit + first.length)
  const others = longer.filter((each) => !found.has(keyOf(each)))
  return { total, rows: [...first, ...others].slice(0, limit) }
}

function groupWalks(digits: string): AttestationWalk[] {
  const groups =
    digits.length === groupDigits ? [digits] : [digits, ...hexDigits.map((each) => digits + each)]
  return groups.map((each) => ({
    table: 'attestation',
    condition: `${group} = ?`,
    parameters: [each],
    chainId: null,
  }))
}

async function countOtherValues(
  { connection }: ReadSession,
  query: Pick<PrefixQuery, 'digits' | 'valueKey'>,
): Promise<number> {
  const { table, condition, parameters } = valuesWithoutPrefix(query)
  const row = await connection.get<[number]>(
    `SELECT count(*) FROM ${table} WHERE ${condition}`,
    ...parameters,
  )
  return row?.[0] ?? 0
}

const localIdOfPosting = '(SELECT f.local_id FROM attestation f WHERE f.id = value_posting.id)'

function valuesWithoutPrefix({
  digits,
  valueKey,
}: Pick<PrefixQuery, 'digits' | 'valueKey'>): AttestationWalk {
  return {
    table: 'value_posting',
    condition: `value_key = ? AND substr(${localIdOfPosting}, 1, ?::integer) <> ?`,
    parameters: [valueKey, digits.length, digits],
    chainId: null,
  }
}

function valuesNotExact({ digits, valueKey }: Pick<PrefixQuery, 'digits' | 'valueKey'>): AttestationWalk {
  return {
    table: 'value_posting',
    condition: `value_key = ? AND ${localIdOfPosting} <> ?`,
    parameters: [valueKey, digits],
    chainId: null,
  }
}

function keyOf({ key }: { readonly key: { readonly chainId: number; readonly localId: LocalId } }): string {
  return `${key.chainId} ${key.localId}`
}
