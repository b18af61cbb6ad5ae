import { recordKeyText } from '../../model/compositeId.ts'
import type { AttestationFields, Page, PageRequest, SearchGroup, StoredAttestation } from '../indexReader.ts'
import type { Reads } from '../port/reads.ts'
import { readAttestationPage, type AttestationWalk } from './attestationPage.ts'
import { countFrom } from './countFrom.ts'
import type { ReadSession } from './session.ts'

/**
 * Attestations whose local id begins with one or two digits: a sixteenth of an index or more, too many to be gathered.
 * The index `attestation_by_id_group` orders attestations by the first two digits of their ids, then as listings do. A
 * prefix of two digits is one walk of it. A prefix of one digit is seventeen walks, merged. Their number is a count of
 * one range of entries.
 */

/** Digits of an id in the index of groups. */
const groupDigits = 2

const group = `substr(local_id, 1, ${groupDigits})`

const hexDigits = Array.from({ length: 16 }, (_, digit) => digit.toString(16))

/** A page of the attestations with an id that begins with `digits`, and of those that hold the value. */
export interface PrefixQuery extends PageRequest {
  readonly digits: string
  readonly valueKey: Uint8Array
  readonly fields: AttestationFields
}

export function isShortPrefix(digits: string): boolean {
  return digits.length > 0 && digits.length <= groupDigits
}

/** Counts the attestations with an id that begins with `digits`. */
export function countPrefix(reads: Reads, digits: string): Promise<number> {
  const entries = reads.dialect.walked('attestation', 'a', 'attestation_by_id_group')
  return countFrom(reads, `${entries} WHERE ${group} >= ? AND ${group} < ?`, [digits, `${digits}g`])
}

/** The attestations with such an id or such a value, newest first. */
export async function listByPrefix(
  session: ReadSession,
  query: PrefixQuery,
): Promise<Page<StoredAttestation>> {
  const { digits, page, size } = query
  const total = await countBoth(session, query)
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
  const total = await countBoth(session, query)
  const read = (walks: readonly AttestationWalk[], count: number) => {
    const bounds = { maxTimestamp: Number.MAX_SAFE_INTEGER, skip: 0, limit: count }
    return readAttestationPage(session, walks, bounds, fields)
  }
  const ids = await read([walkOf('attestation', 'local_id = ?', digits)], limit)
  const first = [...ids, ...(await read([valuesNotExact(query)], limit - ids.length))]
  const found = new Set(first.map(({ key }) => recordKeyText(key)))
  const longer = await read(groupWalks(digits), limit + first.length)
  const others = longer.filter(({ key }) => !found.has(recordKeyText(key)))
  return { total, rows: [...first, ...others].slice(0, limit) }
}

async function countBoth(
  { connection }: ReadSession,
  query: Pick<PrefixQuery, 'digits' | 'valueKey'>,
): Promise<number> {
  const { table, condition, parameters } = valuesWithoutPrefix(query)
  const [withPrefix, others] = await Promise.all([
    countPrefix(connection, query.digits),
    countFrom(connection, `${table} WHERE ${condition}`, parameters),
  ])
  return withPrefix + others
}

function walkOf(
  table: string,
  condition: string,
  ...parameters: AttestationWalk['parameters']
): AttestationWalk {
  return { table, condition, parameters, chainId: null }
}

function groupWalks(digits: string): AttestationWalk[] {
  const groups =
    digits.length === groupDigits ? [digits] : [digits, ...hexDigits.map((each) => digits + each)]
  return groups.map((each) => walkOf('attestation', `${group} = ?`, each))
}

const localIdOfPosting = '(SELECT f.local_id FROM attestation f WHERE f.id = value_posting.id)'

type ValueQuery = Pick<PrefixQuery, 'digits' | 'valueKey'>

function valuesWithoutPrefix({ digits, valueKey }: ValueQuery): AttestationWalk {
  const condition = `value_key = ? AND substr(${localIdOfPosting}, 1, ${digits.length}) <> ?`
  return walkOf('value_posting', condition, valueKey, digits)
}

function valuesNotExact({ digits, valueKey }: ValueQuery): AttestationWalk {
  return walkOf('value_posting', `value_key = ? AND ${localIdOfPosting} <> ?`, valueKey, digits)
}
