import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createSqliteTestStore } from '@attestry/test/harness/sqliteTestStore.ts'
import { fillStore } from '../testing/storeFactory.ts'
import { historyRuns } from '../testing/historyShare.ts'
import { histories, playHistory } from '../testing/playHistory.ts'
import type { IndexWriter } from '@attestry/core/index/indexWriter.ts'
import { addressRoles, kindsOfRole, listKind } from '../layout/listKinds.ts'
import { openConnection } from './connection.ts'
import { positionMask } from '../layout/rowId.ts'
import { testFieldIndexing } from '../testing/testPayloads.ts'
import { openSqliteWriter } from './openSqliteWriter.ts'

const ofSchema = [listKind.attestationsOfSchema]
const ofAddress = [
  listKind.schemasOfRegistrant,
  ...addressRoles.flatMap((role) => Object.values(kindsOfRole[role])),
]
const underSchema = addressRoles.map((role) => kindsOfRole[role].underSchema)

/** The fields and values that ids of their rows stand for. */
const fieldName =
  "(SELECT s.chain_id || ' ' || s.protocol || ' ' || s.local_id || ' ' || f.kind || ' ' || hex(f.path_key) FROM schema s WHERE s.id = f.schema_id)"
const valueName = `(SELECT ${fieldName} || ' ' || hex(v.value_key) FROM field f WHERE f.id = v.field_id)`

/**
 * Row ids of schemas, addresses and values depend on the order of writing; here they are replaced by what they stand
 * for.
 */
const owner =
  `CASE WHEN t.kind IN (${ofSchema.join()}) THEN (SELECT chain_id || ' ' || protocol || ' ' || local_id FROM schema WHERE id = t.owner_id) ` +
  `WHEN t.kind IN (${ofAddress.join()}) THEN (SELECT hex(bytes) FROM address WHERE id = t.owner_id) ` +
  `WHEN t.kind = ${listKind.fieldValue} THEN (SELECT ${valueName} FROM field_value v WHERE v.id = t.owner_id) END`
const scope =
  `CASE WHEN t.kind IN (${underSchema.join()}) THEN ` +
  "(SELECT chain_id || ' ' || protocol || ' ' || local_id FROM schema WHERE id = t.scope_id) ELSE t.scope_id END"

const dumps = {
  rankNodes: `SELECT kind, ${owner}, ${scope}, level, prefix, hex(counts) FROM rank_node t ORDER BY 1, 2, 3, 4, 5`,
  listCounts: `SELECT kind, ${owner}, ${scope}, count FROM list_count t ORDER BY 1, 2, 3`,
  attesters:
    "SELECT s.chain_id || ' ' || s.protocol || ' ' || s.local_id, hex(attester), count FROM schema_attester JOIN schema s ON s.id = schema_id ORDER BY 1, 2",
  countClasses:
    "SELECT chain_id || ' ' || protocol || ' ' || local_id, attestation_count, count_class FROM schema ORDER BY 1",
  protocols: 'SELECT * FROM protocol_count ORDER BY 1, 2',
  protocolDays: 'SELECT * FROM protocol_day ORDER BY 1, 2, 3',
  hours:
    "SELECT hour, s.chain_id || ' ' || s.protocol || ' ' || s.local_id, count FROM schema_hour JOIN schema s ON s.id = schema_id ORDER BY 1, 2",
  schemaText:
    "SELECT s.chain_id || ' ' || s.protocol || ' ' || s.local_id FROM schema_text f JOIN schema s ON s.id = f.rowid ORDER BY 1",
  postings:
    'SELECT (SELECT count(*) FROM received_by_chain), (SELECT count(*) FROM received_by_schema), ' +
    '(SELECT count(*) FROM value_posting), (SELECT count(*) FROM revocation_claim), (SELECT count(*) FROM schema), ' +
    '(SELECT count(*) FROM schema_text), (SELECT count(*) FROM schema_hour)',
  fields: `SELECT ${fieldName}, path, value_count FROM field f ORDER BY 1`,
  fieldValues: `SELECT ${valueName}, value, count FROM field_value v ORDER BY 1`,
  fieldPostings:
    `SELECT ${valueName}, p.attest_timestamp, p.id & ${positionMask} ` +
    'FROM field_posting p JOIN field_value v ON v.id = p.value_id ORDER BY 1, 2, 3',
  fieldPostingCount: 'SELECT count(*) FROM field_posting',
  fieldStates: "SELECT chain_id || ' ' || protocol || ' ' || local_id, field_state FROM schema ORDER BY 1",
  fieldBuilds: 'SELECT * FROM field_build',
  recentBlocks: 'SELECT * FROM recent_block ORDER BY 1, 2',
}

/** The tables that no export shows, after a store has lived through `live`. */
async function dumpAfter<Result>(
  rankThreshold: number,
  live: (writer: IndexWriter) => Promise<Result>,
): Promise<{ readonly result: Result; readonly tables: Record<string, unknown> }> {
  const { path, remove } = createSqliteTestStore({ rankThreshold })
  try {
    const writer = openSqliteWriter(path, { fields: testFieldIndexing })
    const result = await live(writer)
    await writer.close()
    const connection = openConnection(path, { readOnly: true, cacheMib: 8 })
    const tables = Object.fromEntries(
      Object.entries(dumps).map(([name, sql]) => [name, connection.statement(sql).all()]),
    )
    connection.close()
    return { result, tables }
  } finally {
    await remove()
  }
}

test('what is derived from the records is after any history what a fresh index derives', async () => {
  await fc.assert(
    fc.asyncProperty(histories, fc.constantFrom(1, 3, 12), async (history, rankThreshold) => {
      const survived = await dumpAfter(rankThreshold, (writer) => playHistory(writer, history))
      const fresh = await dumpAfter(rankThreshold, (writer) => fillStore(writer, survived.result))
      expect(survived.tables).toEqual(fresh.tables)
    }),
    { numRuns: historyRuns(40), verbose: 1 },
  )
})
