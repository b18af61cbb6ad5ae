import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { openTestConnection } from '@attestry/test/harness/postgresConnection.ts'
import { createPostgresTestStore } from '@attestry/test/harness/postgresTestStore.ts'
import type { IndexWriter } from '@attestry/core/index/indexWriter.ts'
import { addressRoles, kindsOfRole, listKind } from '../layout/listKinds.ts'
import { openConnection as openSqliteConnection } from '../sqlite/connection.ts'
import { migrateSqlite } from '../sqlite/migrateSqlite.ts'
import { openSqliteWriter } from '../sqlite/openSqliteWriter.ts'
import { historyRuns } from '../testing/historyShare.ts'
import { histories, playHistory } from '../testing/playHistory.ts'
import { openPostgresWriter } from './openPostgresWriter.ts'

test('any history of batches and reorganisations leaves the same tables in PostgreSQL as in SQLite', async () => {
  await fc.assert(
    fc.asyncProperty(histories, fc.constantFrom(1, 4, 1_000), async (history, rankThreshold) => {
      const live = (writer: IndexWriter) => playHistory(writer, history)
      const [inPostgres, inSqlite] = [
        await dumpPostgres(rankThreshold, live),
        await dumpSqlite(rankThreshold, live),
      ]
      expect(inPostgres).toEqual(inSqlite)
    }),
    { numRuns: historyRuns(24), verbose: 1 },
  )
})

const ofSchema = [listKind.attestationsOfSchema]
const ofAddress = [
  listKind.schemasOfRegistrant,
  ...addressRoles.flatMap((role) => Object.values(kindsOfRole[role])),
]
const underSchema = addressRoles.map((role) => kindsOfRole[role].underSchema)

/** Ids of schemas and addresses depend on the order of writing; they are replaced by what they stand for. */
const schemaOf = (id: string) => `(SELECT chain_id || ' ' || local_id FROM schema WHERE id = ${id})`
const addressOf = (id: string, hex: string) => `(SELECT ${hex}(bytes) FROM address WHERE id = ${id})`

/** Every table but the journal, in SQL that both databases read but for the function of hexadecimal digits. */
function dumpsOf(hex: 'hex' | 'hex_of', received: 'received' | 'received_by_schema', isTrue: string) {
  const owner =
    `CASE WHEN t.kind IN (${ofSchema.join()}) THEN ${schemaOf('t.owner_id')} ` +
    `WHEN t.kind IN (${ofAddress.join()}) THEN ${addressOf('t.owner_id', hex)} END`
  const scope = `CASE WHEN t.kind IN (${underSchema.join()}) THEN ${schemaOf('t.scope_id')} ELSE CAST(t.scope_id AS text) END`
  return {
    chains:
      'SELECT chain_id, ordinal, name, contracts_json, rewind_to, checkpoint_block, checkpoint_timestamp, schema_count, ' +
      'attestation_count, revocation_count, undecodable_count FROM chain',
    state: 'SELECT version, attestation_count, schema_count FROM index_state',
    addresses: `SELECT ${hex}(bytes), schemas_created, created, received_other, received_self FROM address`,
    schemas:
      `SELECT chain_id, local_id, CASE WHEN registered = ${isTrue} THEN 1 ELSE 0 END, attestation_count, attester_count, count_class, position, register_timestamp, ` +
      `${addressOf('registrant_id', hex)}, ${addressOf('resolver_id', hex)}, registrant, resolver, protocol, CASE WHEN revocable = ${isTrue} THEN 1 ELSE 0 END, max_valid_for, ` +
      'data_location, transaction_key, transaction_hash, transaction_sender, sync_at, summary_json, fields_json FROM schema',
    attestations:
      `SELECT CAST(id AS text), chain_id, local_id, ${schemaOf('schema_id')}, ${addressOf('attester_id', hex)}, attest_timestamp, ` +
      `transaction_key, ${hex}(value_keys), protocol, CAST(valid_until AS text), data_location, linked_local_id, transaction_sender, sync_at, ` +
      'last_sync_at, CAST(revoked_id AS text), revoke_timestamp, revoke_transaction, exact_valid_until, schema_local_id, attester, ' +
      `recipients_json, ${hex}(transaction_hash), indexing_value_json, ${hex}(data) FROM attestation`,
    received: `SELECT ${addressOf('address_id', hex)}, CASE WHEN is_self = ${isTrue} THEN 1 ELSE 0 END, ${schemaOf('schema_id')}, attest_timestamp, CAST(id AS text) FROM ${received}`,
    values: `SELECT ${hex}(value_key), attest_timestamp, chain_id, CAST(id AS text), holder FROM value_posting`,
    claims: 'SELECT CAST(id AS text), chain_id, state, due, timestamp, settled_block FROM revocation_claim',
    names: 'SELECT CAST(id AS text), schema_local_id FROM schema_name',
    anchors: 'SELECT CAST(id AS text), protocol, kind, account FROM anchor',
    anchorCounts: 'SELECT * FROM anchor_count',
    accountAnchors: 'SELECT account, chain_id, kind, count FROM account_anchor',
    undecodable: 'SELECT CAST(id AS text), body_json FROM undecodable',
    hours: `SELECT hour, ${schemaOf('schema_id')}, count FROM schema_hour`,
    hourVersions: 'SELECT * FROM hour_version',
    attesters: `SELECT ${schemaOf('schema_id')}, ${hex}(attester), count FROM schema_attester`,
    protocols: 'SELECT * FROM protocol_count',
    listCounts: `SELECT kind, ${owner}, ${scope}, count FROM list_count t`,
    rankNodes: `SELECT kind, ${owner}, ${scope}, level, prefix, ${hex}(counts) FROM rank_node t`,
    recentBlocks: 'SELECT * FROM recent_block',
    journal: 'SELECT chain_id, first_position, last_position, body_json FROM change',
  }
}

type Dump = Record<string, string[]>

/** Rows in an order of their own; so is what a row of the journal lists, which is one moment. */
function inOrder(table: string, rows: readonly (readonly unknown[])[]): string[] {
  const texts = rows.map((row) => {
    const body = row.at(-1)
    if (table !== 'journal' || typeof body !== 'string') return JSON.stringify(row)
    const listed = (JSON.parse(body) as unknown[]).map((entry) => JSON.stringify(entry))
    return JSON.stringify([...row.slice(0, -1), ...listed.toSorted()])
  })
  return texts.toSorted()
}

async function dumpPostgres(
  rankThreshold: number,
  live: (writer: IndexWriter) => Promise<unknown>,
): Promise<Dump> {
  const store = await createPostgresTestStore({ rankThreshold })
  const connection = await openTestConnection(store.url)
  try {
    const writer = openPostgresWriter(store.url)
    await live(writer)
    await writer.close()
    await connection.exec(
      'CREATE OR REPLACE FUNCTION pg_temp.hex_of(bytea) RETURNS text LANGUAGE sql AS ' +
        "$$ SELECT coalesce(upper(encode($1, 'hex')), '') $$",
    )
    const dump: Dump = {}
    for (const [table, sql] of Object.entries(dumpsOf('hex_of', 'received', 'true'))) {
      const rows = await connection.all(sql.replaceAll('hex_of(', 'pg_temp.hex_of('))
      dump[table] = inOrder(table, rows)
    }
    return dump
  } finally {
    await connection.close()
    await store.remove()
  }
}

async function dumpSqlite(
  rankThreshold: number,
  live: (writer: IndexWriter) => Promise<unknown>,
): Promise<Dump> {
  const folder = mkdtempSync(join(tmpdir(), 'attestry-same-'))
  const path = join(folder, 'index.db')
  try {
    migrateSqlite(path, { rankThreshold })
    const writer = openSqliteWriter(path)
    await live(writer)
    await writer.close()
    const connection = openSqliteConnection(path, { readOnly: true, cacheMib: 8 })
    const dump: Dump = {}
    for (const [table, sql] of Object.entries(dumpsOf('hex', 'received_by_schema', '1'))) {
      const rows = connection.statement(sql).all()
      dump[table] = inOrder(table, rows)
    }
    connection.close()
    return dump
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
