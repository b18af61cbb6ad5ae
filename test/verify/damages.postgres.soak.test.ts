import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { migratePostgres } from '@attestry/store/postgres/migratePostgres.ts'
import { exportAndClose } from '@attestry/store/testing/storeFactory.ts'
import { openPostgresReader } from '@attestry/store/postgres/openPostgresReader.ts'
import { openPostgresWriter } from '@attestry/store/postgres/openPostgresWriter.ts'
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
import { projections } from '../harness/projections.ts'

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
  await migratePostgres(original, { rankThreshold: 8, projections })
  await indexChainWith(openPostgresWriter(original, { fields: allFields, projections }), served)
  right = await exportAndClose(openPostgresReader(original, { projections }))
})
afterAll(async () => {
  index.remove()
  await served.server.close()
  await databases.dropDatabase('verified_original')
})

/** The attestation at a place among all of them, so that each damage of records has a record of its own. */
const recordAt = (place: number) => `(SELECT id FROM attestation ORDER BY id LIMIT 1 OFFSET ${place})`
const revokedAt = (place: number) =>
  `(SELECT id FROM attestation WHERE revoked_id IS NOT NULL ORDER BY id LIMIT 1 OFFSET ${place})`

/** A damage, and of each difference that `verify --offline` must report a part that no other damage of its group causes. */
type Damage = readonly [name: string, sql: string, ...found: readonly Record<string, unknown>[]]

const about = (subject: RegExp) => expect.stringMatching(subject) as unknown

/**
 * `damages.test.ts` finds and repairs the damages one by one, in SQLite. The audit is the same code over both
 * databases, so PostgreSQL has to find many damages at once, each by a difference of its own, and to repair all of them.
 */
const groups: readonly (readonly [group: string, damages: readonly Damage[]])[] = [
  [
    'times and revocations of records',
    [
      [
        'a time is changed',
        `UPDATE attestation SET attest_timestamp = attest_timestamp + 7 WHERE id = ${recordAt(90)}`,
        { what: 'orphan', subject: about(/^received \(/), expected: null },
        { what: 'derived', subject: about(/^received \(/), stored: null },
      ],
      [
        'a revocation is lost',
        'UPDATE attestation SET revoked_id = NULL, revoke_timestamp = NULL, revoke_reason = NULL, ' +
          `revoke_transaction = NULL, last_sync_at = NULL WHERE id = ${revokedAt(4)}`,
        { what: 'derived', subject: about(/^revocation_claim \(/) },
      ],
      [
        'an anchor is lost',
        'DELETE FROM anchor WHERE id = (SELECT max(id) FROM anchor)',
        { what: 'derived', subject: about(/^anchor_count \(/) },
      ],
    ],
  ],
  [
    'the text of records',
    [
      [
        'what a record is found by is changed',
        `UPDATE attestation SET transaction_key = transaction_key + 7 WHERE id = ${recordAt(70)}`,
        { what: 'rendered', field: 'transactionHash' },
      ],
      [
        'the text of a record is that of another one',
        'UPDATE attestation a SET attester = o.attester, recipients_json = o.recipients_json FROM attestation o ' +
          `WHERE o.id = ${recordAt(100)} AND a.id = ${recordAt(110)}`,
        { what: 'rendered', field: 'attester' },
      ],
      [
        'a schema is deleted',
        'DELETE FROM schema WHERE id = (SELECT id FROM schema WHERE registered ORDER BY id LIMIT 1 OFFSET 5)',
        { what: 'rendered', field: 'schemaId' },
      ],
      [
        'the rendered JSON of a record is none',
        `UPDATE attestation SET indexing_value_json = substr(indexing_value_json, 2) WHERE id = ${recordAt(80)}`,
        { what: 'rendered', stored: 'its row is no JSON' },
      ],
      [
        'a revocation is lost in part',
        `UPDATE attestation SET revoke_timestamp = NULL WHERE id = ${revokedAt(2)}`,
        { what: 'rendered', stored: 'its row has no uint64 as "revokeTimestamp"' },
        { what: 'rendered', field: 'revocation' },
      ],
    ],
  ],
  [
    'what derives from records',
    [
      [
        'a field is changed, and everything that the row says of it',
        `UPDATE attestation SET valid_until = valid_until / 2 + 7, exact_valid_until = NULL WHERE id = ${recordAt(90)}`,
        { what: 'derived', subject: about(/^chain \(/), field: 'digest' },
      ],
      [
        'counters are off',
        'UPDATE schema SET attestation_count = attestation_count + 1 WHERE id = 3; ' +
          'UPDATE address SET created = created + 1 WHERE created > 2; ' +
          'UPDATE index_state SET schema_count = schema_count + 1; ' +
          'UPDATE list_count SET count = count + 1; UPDATE schema_hour SET count = count + 2; ' +
          'DELETE FROM schema_attester WHERE schema_id = 1; UPDATE protocol_count SET schema_count = 1',
        { what: 'derived', field: 'attestationCount' },
        { what: 'derived', subject: about(/^address \(/) },
        { what: 'derived', field: 'schema_count' },
        { what: 'derived', subject: about(/^list_count \(/) },
        { what: 'derived', subject: about(/^schema_hour \(/) },
        { what: 'derived', subject: about(/^schema_attester \(/) },
        { what: 'derived', subject: about(/^protocol_count \(/) },
      ],
      [
        'the counter of a chain is off',
        'UPDATE chain SET attestation_count = attestation_count - 1',
        { what: 'derived', subject: about(/^chain \(/), field: 'attestation_count' },
      ],
      [
        'the guard of the state is changed',
        'ALTER TABLE index_state DROP CONSTRAINT index_state_is_only_check; UPDATE index_state SET is_only = false',
        { what: 'derived', subject: 'index_state', field: 'is_only' },
      ],
      [
        'the digest of a chain is off',
        'UPDATE chain SET digest_events = digest_events + 1',
        { what: 'derived', subject: about(/^chain \(/), field: 'digest_events' },
      ],
      [
        'a digest of an older block is made up',
        "INSERT INTO chain_digest VALUES (31337, 3, 1, '')",
        { what: 'derived', subject: 'chain_digest', blockNumber: 3 },
      ],
      [
        'what finds records is missing, or there twice',
        'DELETE FROM value_posting WHERE id = (SELECT max(id) FROM value_posting); ' +
          'DELETE FROM schema_text WHERE schema_id = 3; INSERT INTO received SELECT * FROM received LIMIT 1; ' +
          'UPDATE rank_node SET counts = substr(counts, 1, 4) WHERE level = 1',
        { what: 'derived', subject: about(/^value_posting \(/), stored: null },
        { what: 'derived', subject: about(/^schema_text \(/), stored: null },
        { what: 'derived', subject: about(/^received \(/), stored: '2', expected: '1' },
        { what: 'derived', subject: about(/^rank_node \(/), stored: '00000000' },
      ],
      [
        'rows belong to nothing',
        'UPDATE received SET id = id + 12345 WHERE id = (SELECT max(id) FROM received); ' +
          "INSERT INTO revocation_claim VALUES (77, 31337, 0, 1, '1', NULL); " +
          "INSERT INTO anchor VALUES (8::bigint << 53, 77, 'sign', 'Nothing', NULL, 'x', '\\x78'::bytea, 1, '0x', '')",
        { what: 'orphan', subject: about(/^received \(/) },
        { what: 'orphan', subject: 'revocation_claim (id 77)' },
        { what: 'orphan', subject: about(/^anchor \(/) },
      ],
    ],
  ],
  ['the state', [['its row is lost', 'DELETE FROM index_state', { what: 'derived' }]]],
  [
    'the progress and a record that is lost',
    [
      [
        'a record is deleted',
        `DELETE FROM attestation WHERE id = ${recordAt(90)}`,
        { what: 'derived', subject: about(/^address \(/) },
        { what: 'orphan', subject: about(/^received \(/) },
      ],
      [
        'the checkpoint is ahead',
        'UPDATE chain SET checkpoint_block = checkpoint_block + 50',
        { what: 'progress', field: 'checkpoint' },
      ],
      [
        'a remembered block is another',
        `UPDATE recent_block SET hash = '0x${'77'.repeat(32)}' ` +
          'WHERE number = (SELECT max(number) - 3 FROM recent_block)',
        { what: 'progress', field: 'remembered blocks' },
      ],
    ],
  ],
  [
    'all remembered blocks, which the chain alone reveals',
    [
      [
        'they are others',
        "UPDATE recent_block SET hash = '0x' || substr(hash, 5) || '77', " +
          "parent_hash = '0x' || substr(parent_hash, 5) || '77'",
      ],
    ],
  ],
]

test('an undamaged index has no difference, in a sample, as a whole, and by itself', async () => {
  await withCopy(async (url) => {
    for (const flags of [{}, { all: true }, { offline: true }]) {
      const { right: isRight, lines } = await verify(url, flags)
      expect(lines.filter(({ type }) => type === 'difference' || type === 'unasked')).toEqual([])
      expect(isRight).toBe(true)
    }
  })
})

test.each(groups)('damages of %s are found, each of them, and repaired', async (_, damages) => {
  await withCopy(async (url) => {
    for (const [, sql] of damages) await damage(url, sql)
    const alone = await verify(url, { offline: true })
    for (const [name, , ...found] of damages) {
      for (const difference of found) {
        expect(alone.lines, name).toContainEqual(
          expect.objectContaining({ type: 'difference', ...difference }),
        )
      }
    }

    const repaired = await verify(url, { all: true, repair: true })
    expect(repaired.lines.filter(({ type }) => type === 'difference')).not.toEqual([])
    expect(repaired.lines.at(-1)).toEqual({ type: 'summary', differences: 0, unasked: 0 })
    expect(repaired.right).toBe(true)

    // The indexer reads the rewound blocks again.
    await indexChainWith(openPostgresWriter(url, { fields: allFields, projections }), served)
    expect(await exportAndClose(openPostgresReader(url, { projections }))).toEqual(right)
  })
})

/** Damages of the index of fields, each with differences in its own table. One that hides others has its own group. */
const fieldGroups = [
  ['a path is lost', 'a value has another text', 'an attestation is made up under a value'],
  ['an index is called unfinished'],
].map((names) => [names.join(', '), fieldDamages.filter(([name]) => names.includes(name))] as const)

test.each(fieldGroups)(
  'an index of fields of which %s is found to be so, and repaired',
  async (_, damages) => {
    await withCopy(async (url) => {
      for (const [, sql] of damages) await damage(url, sql)
      await expectFieldsRepaired(
        {
          database: url,
          verify: (flags) => verify(url, flags),
          goOn: () => indexChainWith(openPostgresWriter(url, { fields: allFields, projections }), served),
        },
        damages.map(([, , subject]) => subject),
      )
    })
  },
)

test('a database that has lost its state is not opened, and the error names the repair', async () => {
  await withCopy(async (url) => {
    await damage(url, 'DELETE FROM index_state')
    const refusal = /has lost the row of its state: stop the indexer and run `attestry verify --repair`$/
    const writer = openPostgresWriter(url, { projections })
    await expect(writer.claimChain(served.chain.chainId)).rejects.toThrow(refusal)
    await writer.close()
    const reader = openPostgresReader(url, { projections })
    await expect(reader.listChains()).rejects.toThrow(refusal)
    await reader.close()
  })
})

test('an index that is written to is not repaired', async () => {
  await withCopy(async (url) => {
    const writer = openPostgresWriter(url, { projections })
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
