import type { ValidAsOf, ValidAt } from '../indexQueries.ts'
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

/** The same as of a block, by the time of the block and the greatest row id up to the block. */
export function isValidAsOf(dialect: Dialect, alias: string, at: string, upTo: string): string {
  const revoked = `${alias}.revoke_timestamp`
  return (
    `NOT ${isExpired(alias, at)} AND (${revoked} IS NULL OR CASE WHEN ${alias}.revoked_id IS NULL ` +
    `THEN ${dialect.uint64(revoked)} > ${at} ELSE ${alias}.revoked_id > ${upTo} END)`
  )
}

/** Up to which second a holding may have been made. */
export function madeUpTo({ kind, at }: ValidAt | ValidAsOf): number {
  return kind === 'now' ? Number.MAX_SAFE_INTEGER : at
}
