import type { ValidAsOf, ValidAt } from '@attestry/core/index/indexQueries.ts'
import { claimState } from '../layout/bornRevocation.ts'
import type { Dialect } from '../port/dialect.ts'

/** The condition that a row of attestations has expired by the time that an expression holds. */
export function isExpired(alias: string, at: string): string {
  return `(${alias}.valid_until > 0 AND ${alias}.valid_until <= ${at})`
}

/**
 * The condition that a row of attestations is valid; that the attestation was made by then is not part of it. The
 * expression of the time stands in it once for `now`, twice for `then`.
 */
export function isValid(dialect: Dialect, alias: string, kind: ValidAt['kind'], at: string): string {
  const revoked = `${alias}.revoke_timestamp`
  const isStanding =
    kind === 'now' ? `${revoked} IS NULL` : `(${revoked} IS NULL OR ${dialect.uint64(revoked)} > ${at})`
  return `NOT ${isExpired(alias, at)} AND ${isStanding}`
}

/** Expressions of the end of an answer as of a block: the greatest row id up to the block, and its time. */
export interface BlockTerms {
  readonly upTo: string
  readonly time: string
}

/**
 * The same as of a block. The expressions stand in the condition in this order: `at`, then those of `isRevokedAsOf`.
 */
export function isValidAsOf(alias: string, at: string, terms: BlockTerms): string {
  return `NOT ${isExpired(alias, at)} AND NOT ${isRevokedAsOf(alias, terms)}`
}

/**
 * The condition that a row of attestations is revoked as of a block. The expressions stand in the condition in this
 * order: `upTo`, `time`.
 */
export function isRevokedAsOf(alias: string, { upTo, time }: BlockTerms): string {
  return (
    `(${alias}.revoke_timestamp IS NOT NULL AND CASE WHEN ${alias}.revoked_id <= ${upTo} THEN true ` +
    `ELSE coalesce(${claimCounts(alias, time)}, ${alias}.revoked_id IS NULL) END)`
  )
}

/**
 * Whether the claim of a read revokes a row as of a time; NULL if there is no claim. A settled claim is of a record
 * that was born revoked, whichever block settled it; one that an event overruled counted since the claimed time.
 */
export function claimCounts(alias: string, time: string): string {
  return (
    `(SELECT v.due < ${time} OR v.state = ${claimState.settled} ` +
    `FROM revocation_claim v WHERE v.id = ${alias}.id)`
  )
}

/**
 * The time at which a row that is revoked as of a block was revoked: that of a claim (`settledTimestamp`) until an
 * event overrules it.
 */
export function revokedAtAsOf(dialect: Dialect, alias: string, upTo: string): string {
  const claimed =
    `(SELECT CASE WHEN v.due > 0 THEN ${dialect.uint64('v.timestamp')} ELSE ${alias}.attest_timestamp END ` +
    `FROM revocation_claim v WHERE v.id = ${alias}.id)`
  const known = dialect.uint64(`${alias}.revoke_timestamp`)
  return `CASE WHEN ${alias}.revoked_id > ${upTo} THEN coalesce(${claimed}, ${known}) ELSE ${known} END`
}

/** Up to which second a holding may have been made. */
export function madeUpTo({ kind, at }: ValidAt | ValidAsOf): number {
  return kind === 'now' ? Number.MAX_SAFE_INTEGER : at
}
