import type { Dialect } from '../port/dialect.ts'
import type { SqlInput, SqlText } from '../port/reads.ts'
import type { ResolvedFilter, ResolvedHolding } from './attestationFilter.ts'
import { term } from './sqlTerms.ts'
import { isValid, isValidAsOf, madeUpTo } from './validity.ts'

/** Passing over a row with a condition on holdings costs about as much as passing over so many others, at least. */
const rowsPerHolding = 16

/** So many looks, of accounts that have so many attestations, cost about as much as passing over a row. */
const looksPerRow = 64

const anyBlock = { upTo: '?', time: '?' }

/** The cost of passing over a row with a filter, in rows without a condition on holdings. */
export function rowCostOf({ recipientHolds, attesterHolds }: ResolvedFilter): number {
  if (recipientHolds === null && attesterHolds === null) return 1
  return Math.max(
    ...[recipientHolds, attesterHolds].map((holding) => (holding === null ? 1 : costOf(holding))),
  )
}

function costOf({ hops, looksMax }: ResolvedHolding): number {
  if (hops === 1) return Math.max(rowsPerHolding, looksMax / looksPerRow)
  const looks = Math.min(looksMax, nearLooksMax) * Math.min(looksMax, farLooksMax)
  // Most accounts have few attestations at either hop.
  return Math.max(2 * rowsPerHolding, looks / looksPerRow / 4)
}

/** Bounds of looks at two hops, where the looks for an account multiply. */
const nearLooksMax = 1_024
const farLooksMax = 256

/**
 * Whether the account with the row id that an expression holds is a holder. The statement fails with a
 * `TooManyLooksError` if that takes more looks (`withMoreLooks`).
 */
export function holdingCondition(
  dialect: Dialect,
  account: string,
  holding: ResolvedHolding,
  /** The name of the rows that are looked at, other than that of a condition around this one. */
  h = 'h',
): SqlText {
  const { schemaId, attesterId, hops, valid, cut } = holding
  const looksMax = hops === 1 ? holding.looksMax : Math.min(holding.looksMax, nearLooksMax)
  const newest = (isSelf: boolean) =>
    `SELECT r.id FROM ${dialect.received('schema')} r WHERE r.address_id = ${account} ` +
    `AND ${dialect.flag('r.is_self', isSelf)} AND r.schema_id = ? AND r.attest_timestamp <= ? ` +
    (cut === null ? '' : 'AND r.id <= ? ') +
    `ORDER BY r.attest_timestamp DESC, r.id DESC LIMIT ${looksMax}`
  const range: readonly SqlInput[] = [schemaId, madeUpTo(valid), ...(cut === null ? [] : [cut.upTo])]
  const isStanding =
    cut === null
      ? term(
          isValid(dialect, h, valid.kind, '?'),
          ...(valid.kind === 'now' ? [valid.at] : [valid.at, valid.at]),
        )
      : term(isValidAsOf(h, '?', anyBlock), valid.at, cut.upTo, cut.claimTime)
  const byAttester =
    attesterId === null ? null : term(`${dialect.hidden(`${h}.attester_id`, 'integer')} = ?`, attesterId)
  const far = { ...holding, hops: 1, looksMax: Math.min(looksMax, farLooksMax) } as const
  const byHolder = hops === 1 ? null : holdingCondition(dialect, `${h}.attester_id`, far, 'g')
  const counts = [byAttester, byHolder].filter((each) => each !== null)
  const isCounted = counts.length === 0 ? '' : ` AND (${counts.map(({ sql }) => sql).join(' OR ')})`
  const holds = (isSelf: boolean): SqlText => ({
    sql:
      `EXISTS (SELECT 1 FROM (${newest(isSelf)}) AS n ${dialect.drivenJoin} attestation ${h} ON ${h}.id = n.id ` +
      `WHERE ${isStanding.sql}${isCounted})`,
    parameters: [...range, ...isStanding.parameters, ...counts.flatMap(({ parameters }) => parameters)],
  })
  const isTooMuch = (isSelf: boolean): SqlText => ({
    sql: `(SELECT count(*) FROM (${newest(isSelf)}) AS n) = ${looksMax}`,
    parameters: range,
  })
  const [other, self, manyOther, manySelf] = [holds(false), holds(true), isTooMuch(false), isTooMuch(true)]
  return {
    sql:
      `CASE WHEN ${other.sql} OR ${self.sql} THEN true ` +
      `ELSE ${dialect.refuse(`${manyOther.sql} OR ${manySelf.sql}`)} END`,
    parameters: [other, self, manyOther, manySelf].flatMap(({ parameters }) => parameters),
  }
}
