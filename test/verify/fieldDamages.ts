import { expect } from 'vitest'
import type { VerifyFlags } from '@attestry/verify/commands/runVerify.ts'
import { listKind } from '@attestry/store/layout/listKinds.ts'
import { dayLevel } from '@attestry/store/layout/rankSpans.ts'
import { findFieldProblems } from '../harness/fieldProblems.ts'
import type { Verified } from './verifiedIndex.ts'

const path = '(SELECT max(id) FROM field)'
const frequent = '(SELECT id FROM field_value ORDER BY count DESC, id LIMIT 1)'
const lastPosting = `value_id = ${frequent} AND id = (SELECT max(id) FROM field_posting WHERE value_id = ${frequent})`
const anyKey = '(SELECT path_key FROM field ORDER BY id LIMIT 1)'
const indexed = 'id = (SELECT min(schema_id) FROM field)'

/**
 * Damages of the index of decoded fields, for SQLite and PostgreSQL, and what a difference that must be found is about.
 */
export const fieldDamages: readonly (readonly [name: string, sql: string, subject: RegExp])[] = [
  ['a path is lost', `DELETE FROM field WHERE id = ${path}`, /^field \(/],
  ['a path has another text', `UPDATE field SET path = 'another' WHERE id = ${path}`, /^field \(/],
  [
    'a path has another key',
    `UPDATE field SET path_key = (SELECT max(value_key) FROM field_value) WHERE id = ${path}`,
    /^field \(/,
  ],
  [
    'two paths have one id',
    `UPDATE field SET id = (SELECT min(id) FROM field) WHERE id = ${path}`,
    /^field \(/,
  ],
  ['numbers of values are off', 'UPDATE field SET value_count = value_count + 1', /^field \(/],
  ['a value is lost', `DELETE FROM field_value WHERE id = ${frequent}`, /^field_value \(/],
  [
    'a value has another text',
    `UPDATE field_value SET value = 'another' WHERE id = ${frequent}`,
    /^field_value \(/,
  ],
  [
    'a value has another key',
    `UPDATE field_value SET value_key = ${anyKey} WHERE id = ${frequent}`,
    /^field_value \(/,
  ],
  ['counts of values are off', 'UPDATE field_value SET count = count + 1', /^field_value \(/],
  [
    'a value is made up',
    'INSERT INTO field_value (field_id, value_key, id, value, count) ' +
      `SELECT field_id, ${anyKey}, id + 100000, 'made up', 1 FROM field_value WHERE id = ${frequent}`,
    /^field_value \(/,
  ],
  [
    'two values have one id',
    `UPDATE field_value SET id = ${frequent} WHERE id = (SELECT max(id) FROM field_value)`,
    /^field_value \(/,
  ],
  [
    'an attestation is lost from a value',
    `DELETE FROM field_posting WHERE ${lastPosting}`,
    /^field_posting \(/,
  ],
  [
    'an attestation is made up under a value',
    'INSERT INTO field_posting (value_id, attest_timestamp, id) ' +
      `SELECT value_id, attest_timestamp, id + 1 FROM field_posting WHERE ${lastPosting}`,
    /^field_posting \(/,
  ],
  [
    'an attestation stands under a value at another time',
    `UPDATE field_posting SET attest_timestamp = attest_timestamp + 7 WHERE ${lastPosting}`,
    /^field_posting \(/,
  ],
  [
    'the trees of pages of values are lost',
    `DELETE FROM rank_node WHERE kind = ${listKind.fieldValue}`,
    /^rank_node \(/,
  ],
  [
    'the days of values are off',
    `UPDATE rank_node SET prefix = prefix + 1000 WHERE kind = ${listKind.fieldValue} AND level = ${dayLevel}`,
    /^rank_node \(/,
  ],
  [
    'no field is left',
    'DELETE FROM field; DELETE FROM field_value; DELETE FROM field_posting',
    /^field_posting \(/,
  ],
  ['an index is called none', `UPDATE schema SET field_state = 0 WHERE ${indexed}`, /^field \(/],
  [
    'an index is called unfinished',
    `UPDATE schema SET field_state = 1 WHERE ${indexed}`,
    /^onchain_evm_.* fieldState$/,
  ],
  [
    'the state of an index is no state',
    `UPDATE schema SET field_state = 7 WHERE ${indexed}`,
    /^onchain_evm_.* fieldState$/,
  ],
  [
    'a finished index is called begun',
    'INSERT INTO field_build (schema_id, done_timestamp, done_id, until_id, done_count) ' +
      `SELECT id, 0, 0, 0, 0 FROM schema WHERE ${indexed}`,
    /^field_build \(/,
  ],
  [
    'ids of values would be given again',
    'UPDATE chain SET next_field_id = 1',
    /^chain \(\d+\) next_field_id$/,
  ],
]

/** A damaged index, and the commands that a test runs on it. */
export interface DamagedIndex {
  readonly database: string
  verify(flags: VerifyFlags): Promise<Verified>
  /** Runs an indexer, which goes on with what it finds to do. */
  goOn(): Promise<void>
}

/** Shows that damages are found and repaired without a chain, and that an indexer then finds or makes a whole index. */
export async function expectFieldsRepaired(
  { database, verify, goOn }: DamagedIndex,
  about: readonly RegExp[],
): Promise<void> {
  const alone = await verify({ offline: true })
  const found = alone.lines.filter(({ type }) => type === 'difference')
  const subjects = found.map((line) => [line['subject'], line['field']].filter(Boolean).join(' '))
  for (const subject of about) expect(subjects).toContainEqual(expect.stringMatching(subject))

  const repaired = await verify({ offline: true, repair: true })
  expect(repaired.lines.at(-1)).toEqual({ type: 'summary', differences: 0, unasked: 0 })

  await goOn()
  const { problems, postings } = await findFieldProblems(database)
  expect(problems).toEqual([])
  expect(postings).toBeGreaterThan(0)
  expect((await verify({ offline: true })).right).toBe(true)
}
