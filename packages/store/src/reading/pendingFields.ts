import type { Dialect } from '../port/dialect.ts'
import { fieldState } from '../layout/fieldState.ts'

/**
 * The condition on a schema `s` whose index of fields is being built or dropped; its last term lets the partial index
 * `schema_by_field_state` answer.
 */
export function isFieldWork(dialect: Dialect): string {
  return (
    `${dialect.flag('s.registered', true)} AND s.field_state IN (${fieldState.building}, ${fieldState.dropping}) ` +
    `AND s.field_state <> ${fieldState.complete}`
  )
}

/**
 * A subselect of how many attestations of a chain such schemas have that were not looked at; `chainId` is an
 * expression. After a reorganisation during a build the number is too high or too low, but never below 0.
 */
export function pendingFields(dialect: Dialect, chainId: string): string {
  return (
    '(SELECT CAST(coalesce(sum(CASE WHEN s.attestation_count > coalesce(b.done_count, 0) ' +
    'THEN s.attestation_count - coalesce(b.done_count, 0) ELSE 0 END), 0) AS bigint) FROM schema s ' +
    `LEFT JOIN field_build b ON b.schema_id = s.id WHERE s.chain_id = ${chainId} AND ${isFieldWork(dialect)})`
  )
}
