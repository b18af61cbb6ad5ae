import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { migratePostgres } from '../../src/store/postgres/migratePostgres.ts'
import { exportAndClose } from '../../src/store/testing/storeFactory.ts'
import { openPostgresReader } from '../../src/store/postgres/openPostgresReader.ts'
import { openPostgresWriter } from '../../src/store/postgres/openPostgresWriter.ts'
import { allFields } from '../harness/fieldIndexing.ts'
import { withTestConnection } from '../harness/postgresConnection.ts'
import { databasesOf, type PostgresDatabases } from '../harness/postgresServer.ts'
import { expectFieldsRepaired, fieldDamages } from './fieldDamages.ts'
import {
  createVerifiedFolder,
  indexChainWith,
  serveChain,
  verifyDatabase,
  type ServedChain,
  type Verified,
  type VerifiedFolder,
} from './verifiedIndex.ts'

/** The counterpart of `damages.test.ts` for the PostgreSQL audit. */

let served: ServedChain
let index: VerifiedFolder
let databases: PostgresDatabases
let right: readonly string[]
let copies = 0

beforeAll(async () => {
  databases = databasesOf(inject('postgresPort'))
  served = await serveChain(7, 200)
  index = await createVerifiedFolder(served)
  const original = await databases.createDatabase('verified_original')
  await migratePostgres(original, { rankThreshold: 8 })
  await indexChainWith(openPostgresWriter(original, { fields: allFields }), served)
  right = await exportAndClose(openPostgresReader(original))
})
afterAll(async () => {
  index.remove()
  await served.server.close()
  await databases.dropDatabase('verified_original')
})

const middle = '(SELECT id FROM attestation ORDER BY id LIMIT 1 OFFSET 90)'
const unrevoked = '(SELECT id FROM attestation WHERE revoke_timestamp IS NULL ORDER BY id LIMIT 1 OFFSET 40)'
const revoked = '(SELECT id FROM attestation WHERE revoked_id IS NOT NULL ORDER BY id LIMIT 1 OFFSET 2)'

/** The damage, and the difference that `verify --offline` must report; null when only the chain reveals it. */
const damages: readonly [name: string, sql: string, offline: string | null][] = [
  ['a record is deleted', `DELETE FROM attestation WHERE id = ${middle}`, 'derived'],
  [
    'a schema is deleted',
    'DELETE FROM schema WHERE id = (SELECT id FROM schema WHERE registered ORDER BY id LIMIT 1 OFFSET 5)',
    'rendered',
  ],
  [
    'a field is changed, and everything that the row says of it',
    `UPDATE attestation SET valid_until = valid_until / 2 + 7, exact_valid_until = NULL WHERE id = ${middle}`,
    'derived',
  ],
  [
    'a time is changed',
    `UPDATE attestation SET attest_timestamp = attest_timestamp + 7 WHERE id = ${middle}`,
    'orphan',
  ],
  [
    'what a record is found by is changed',
    `UPDATE attestation SET transaction_key = transaction_key + 7 WHERE id = ${middle}`,
    'rendered',
  ],
  [
    'the rendered JSON of a record is none',
    `UPDATE attestation SET indexing_value_json = substr(indexing_value_json, 2) WHERE id = ${middle}`,
    'rendered',
  ],
  [
    'the text of a record is that of another one',
    'UPDATE attestation a SET attester = o.attester, recipients_json = o.recipients_json FROM attestation o ' +
      `WHERE o.id = ${unrevoked} AND a.id = ${middle}`,
    'rendered',
  ],
  [
    'a revocation is lost',
    'UPDATE attestation SET revoked_id = NULL, revoke_timestamp = NULL, revoke_reason = NULL, revoke_transaction = NULL, ' +
      `last_sync_at = NULL WHERE id = ${revoked}`,
    'derived',
  ],
  [
    'a revocation is lost in part',
    `UPDATE attestation SET revoke_timestamp = NULL WHERE id = ${revoked}`,
    'rendered',
  ],
  [
    'counters are off',
    'UPDATE schema SET attestation_count = attestation_count + 1 WHERE id = 3; ' +
      'UPDATE address SET created = created + 1 WHERE created > 2; UPDATE index_state SET schema_count = schema_count + 1; ' +
      'UPDATE list_count SET count = count + 1; UPDATE schema_hour SET count = count + 2; ' +
      'DELETE FROM schema_attester WHERE schema_id = 1; UPDATE protocol_count SET schema_count = 1',
    'derived',
  ],
  ['the counter of a chain is off', 'UPDATE chain SET attestation_count = attestation_count - 1', 'derived'],
  ['the row of the state is lost', 'DELETE FROM index_state', 'derived'],
  [
    'the guard of the state is changed',
    'ALTER TABLE index_state DROP CONSTRAINT index_state_is_only_check; UPDATE index_state SET is_only = false',
    'derived',
  ],
  ['the digest of a chain is off', 'UPDATE chain SET digest_events = digest_events + 1', 'derived'],
  ['a digest of an older block is made up', "INSERT INTO chain_digest VALUES (31337, 3, 1, '')", 'derived'],
  ['the checkpoint is ahead', 'UPDATE chain SET checkpoint_block = checkpoint_block + 50', 'progress'],
  [
    'every remembered block is another',
    "UPDATE recent_block SET hash = '0x' || substr(hash, 5) || '77', parent_hash = '0x' || substr(parent_hash, 5) || '77'",
    null,
  ],
  [
    'a remembered block is another',
    `UPDATE recent_block SET hash = '0x${'77'.repeat(32)}' WHERE number = (SELECT max(number) - 3 FROM recent_block)`,
    'progress',
  ],
  [
    'what finds records is missing, or there twice',
    'DELETE FROM value_posting WHERE id = (SELECT max(id) FROM value_posting); DELETE FROM schema_text WHERE schema_id = 3; ' +
      'INSERT INTO received SELECT * FROM received LIMIT 1; UPDATE rank_node SET counts = substr(counts, 1, 4) WHERE level = 1',
    'derived',
  ],
  [
    'rows belong to nothing',
    'UPDATE received SET id = id + 12345 WHERE id = (SELECT max(id) FROM received); ' +
      "INSERT INTO revocation_claim VALUES (77, 31337, 0, 1, '1', NULL); " +
      "INSERT INTO anchor VALUES (8::bigint << 53, 77, 'sign', 'Nothing', NULL, 'x', '\\x78'::bytea, 1, '0x', '')",
    'orphan',
  ],
  ['an anchor is lost', 'DELETE FROM anchor WHERE id = (SELECT max(id) FROM anchor)', 'derived'],
]

test('an index that nobody damaged has no difference, in a sample, as a whole, and by itself', async () => {
  await withCopy(async (url) => {
    for (const flags of [{}, { all: true }, { offline: true }]) {
      const { right: isRight, lines } = await verify(url, flags)
      expect(lines.filter(({ type }) => type === 'difference' || type === 'unasked')).toEqual([])
      expect(isRight).toBe(true)
    }
  })
})

test.each(damages)('an index of which %s is found to be so, and repaired', async (_, sql, offline) => {
  await withCopy(async (url) => {
    await damage(url, sql)
    const alone = await verify(url, { offline: true })
    const found = alone.lines.filter(({ type }) => type === 'difference').map(({ what }) => what)
    expect(found.find((what) => offline === null || what === offline) ?? null).toBe(offline)

    const repaired = await verify(url, { all: true, repair: true })
    expect(repaired.lines.at(-1)).toEqual({ type: 'summary', differences: 0, unasked: 0 })
    expect(repaired.right).toBe(true)

    // The indexer reads the rewound blocks again.
    await indexChainWith(openPostgresWriter(url, { fields: allFields }), served)
    expect(await exportAndClose(openPostgresReader(url))).toEqual(right)
  })
})

/** SQLite is tried with every damage of the index of fields; one takes seconds here. */
const someFieldDamages = fieldDamages.filter((_, index) => index % 6 === 0)

test.each(someFieldDamages)(
  'an index of fields of which %s is found to be so, and repaired',
  async (_, sql, subject) => {
    await withCopy(async (url) => {
      await damage(url, sql)
      await expectFieldsRepaired(
        {
          database: url,
          verify: (flags) => verify(url, flags),
          goOn: () => indexChainWith(openPostgresWriter(url, { fields: allFields }), served),
        },
        subject,
      )
    })
  },
)

test('a database that has lost its state is not opened, and what mends it is said', async () => {
  await withCopy(async (url) => {
    await damage(url, 'DELETE FROM index_state')
    const refusal = /has lost the row of its state: stop the indexer and run `attestry verify --repair`$/
    const writer = openPostgresWriter(url)
    await expect(writer.claimChain(served.chain.chainId)).rejects.toThrow(refusal)
    await writer.close()
    const reader = openPostgresReader(url)
    await expect(reader.listChains()).rejects.toThrow(refusal)
    await reader.close()
  })
})

test('an index that is written to is not repaired', async () => {
  await withCopy(async (url) => {
    const writer = openPostgresWriter(url)
    expect(await writer.claimChain(served.chain.chainId)).toBe(true)
    await damage(url, 'UPDATE index_state SET schema_count = schema_count + 1')
    await expect(verify(url, { all: true, repair: true })).rejects.toThrow(/another process indexes chain/)
    await writer.close()
  })
})

async function withCopy(work: (url: string) => Promise<void>): Promise<void> {
  const name = `verified_${copies++}`
  const url = await databases.createDatabase(name, 'verified_original')
  try {
    await work(url)
  } finally {
    await databases.dropDatabase(name)
  }
}

function verify(url: string, flags: Parameters<typeof verifyDatabase>[4]): Promise<Verified> {
  return verifyDatabase(index.folder, url, served.chain, [served.server.url], flags)
}

/** Damages a database by plain SQL. */
function damage(url: string, sql: string): Promise<void> {
  return withTestConnection(url, (connection) => connection.exec(sql))
}
