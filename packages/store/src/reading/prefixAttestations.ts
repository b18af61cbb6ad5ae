import { recordKeyText } from '@attestry/core/model/compositeId.ts'
import type { Page, PageRequest, SearchGroup } from '@attestry/core/index/indexQueries.ts'
import type { AttestationFields, StoredAttestation } from '@attestry/core/index/storedRecords.ts'
import type { Reads } from '../port/reads.ts'
import { foundArm, valueArm } from './attestationArms.ts'
import { readAttestationPage } from './attestationPage.ts'
import { countFrom } from './countFrom.ts'
import { countArm, type WalkArm } from './rowWalk.ts'
import type { ReadSession } from './session.ts'
import { term } from './sqlTerms.ts'

/**
 * Attestations whose local id begins with one or two digits: a sixteenth of an index or more, too many to be gathered.
 * The index `attestation_by_id_group` orders attestations by the first two digits of their ids, then as listings do. A
 * prefix of two digits is one walk of it. A prefix of one digit is seventeen walks, merged. Their number is a count of
 * one range of entries.
 */

/** Digits of an id in the index of groups. */
const groupDigits = 2

const group = `substr(a.local_id, 1, ${groupDigits})`

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
  const total = await countBoth(session, query)
  const arms = [...groupArms(query.digits), valuesWithoutPrefix(session, query)]
  return { total, rows: await readFromStart(session, arms, total, query) }
}

/** A page of arms that have no rank tree: entries before the page are skipped one by one. */
export async function readFromStart(
  session: ReadSession,
  arms: readonly WalkArm[],
  total: number,
  { page, size, fields }: PageRequest & { readonly fields: AttestationFields },
): Promise<StoredAttestation[]> {
  const skip = (page - 1) * size
  if (skip >= total) return []
  const bounds = { maxTimestamp: Number.MAX_SAFE_INTEGER, skip, limit: size }
  return await readAttestationPage(session, arms, bounds, fields)
}

/** The best of them: exact ids, then values, then longer ids; among equals the order of the listing. */
export async function searchByPrefix(
  session: ReadSession,
  query: Omit<PrefixQuery, 'page'>,
): Promise<SearchGroup<StoredAttestation>> {
  const { digits, size: limit, fields } = query
  const { dialect } = session.connection
  const total = await countBoth(session, query)
  const read = (arms: readonly WalkArm[], size: number) =>
    readFromStart(session, arms, Infinity, { page: 1, size, fields })
  const ids = await read([foundArm(term('a.local_id = ?', digits))], limit)
  const others = valueArm(dialect, query.valueKey, term('a.local_id <> ?', digits))
  const first = [...ids, ...(await read([others], limit - ids.length))]
  const found = new Set(first.map(({ key }) => recordKeyText(key)))
  const longer = await read(groupArms(digits), limit + first.length)
  const more = longer.filter(({ key }) => !found.has(recordKeyText(key)))
  return { total, rows: [...first, ...more].slice(0, limit) }
}

async function countBoth(
  session: ReadSession,
  query: Pick<PrefixQuery, 'digits' | 'valueKey'>,
): Promise<number> {
  const [withPrefix, others] = await Promise.all([
    countPrefix(session.connection, query.digits),
    countArm(session.connection, valuesWithoutPrefix(session, query)),
  ])
  return withPrefix + others
}

function groupArms(digits: string): WalkArm[] {
  const groups =
    digits.length === groupDigits ? [digits] : [digits, ...hexDigits.map((each) => digits + each)]
  return groups.map((each) => foundArm(term(`${group} = ?`, each)))
}

function valuesWithoutPrefix(
  { connection }: ReadSession,
  { digits, valueKey }: Pick<PrefixQuery, 'digits' | 'valueKey'>,
): WalkArm {
  const hasOtherId = term(`substr(a.local_id, 1, ${digits.length}) <> ?`, digits)
  return valueArm(connection.dialect, valueKey, hasOtherId)
}
