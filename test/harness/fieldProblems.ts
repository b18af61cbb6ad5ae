import { decodeIndexedPayload } from '@attestry/core/protocols/decodeIndexedPayload.ts'
import type { Reads } from '@attestry/store/port/reads.ts'
import { openConnection } from '@attestry/store/sqlite/connection.ts'
import { findFieldMiscounts } from '@attestry/store/testing/recountFields.ts'
import { withTestConnection } from './postgresConnection.ts'

/** The index of decoded fields, as it differs from a fresh one. */
export interface FieldProblems {
  /** As sentences; none where all tables are right. */
  readonly problems: readonly string[]
  /** Rows of `field_posting`, by which a test shows that there was something to compare. */
  readonly postings: number
}

/**
 * Compares the index of decoded fields in a database, a path or the URL of PostgreSQL, with its stored payloads.
 * @param isFinished whether every registered schema has to be indexed.
 */
export async function findFieldProblems(database: string, isFinished = true): Promise<FieldProblems> {
  const compareFields = (reads: Reads) => compare(reads, isFinished)
  if (database.includes('://')) return withTestConnection(database, compareFields)
  const connection = openConnection(database, { readOnly: true, cacheMib: 8 })
  try {
    return await compareFields(connection)
  } finally {
    connection.close()
  }
}

async function compare(reads: Reads, isFinished: boolean): Promise<FieldProblems> {
  const unindexed = await reads.all<[string, number]>(
    `SELECT local_id, field_state FROM schema WHERE ${reads.dialect.flag('registered', true)} AND field_state <> 2`,
  )
  const [postings] = (await reads.get<[number]>('SELECT count(*) FROM field_posting')) ?? [0]
  return {
    problems: [
      ...(isFinished ? unindexed : []).map(
        ([localId, state]) => `the index of schema 0x${localId} has the state ${state}`,
      ),
      ...(await findFieldMiscounts(reads, decodeIndexedPayload)),
    ],
    postings,
  }
}
