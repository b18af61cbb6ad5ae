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

/**
 * The same as of a block, by the time of the block, its number, and the greatest row id up to the block. A revocation
 * without an event counts from the block that settled the claim of a read.
 */
export function isValidAsOf(alias: string, at: string, block: string, upTo: string): string {
  return (
    `NOT ${isExpired(alias, at)} AND (${alias}.revoke_timestamp IS NULL OR CASE WHEN ${alias}.revoked_id IS NULL ` +
    `THEN coalesce((SELECT v.settled_block FROM revocation_claim v WHERE v.id = ${alias}.id), -1) > ${block} ` +
    `ELSE ${alias}.revoked_id > ${upTo} END)`
  )
}

/** Up to which second a holding may have been made. */
export function madeUpTo({ kind, at }: ValidAt | ValidAsOf): number {
  return kind === 'now' ? Number.MAX_SAFE_INTEGER : at
}
