import { allFields } from '../harness/fieldIndexing.ts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { LocalId } from '@attestry/core/model/compositeId.ts'
import type { DomainEvent } from '@attestry/core/model/domainEvent.ts'
import { eventPosition, positionBlock } from '@attestry/core/model/position.ts'
import type { BlockRange } from '@attestry/core/index/indexAudit.ts'
import { openSqliteAudit } from '@attestry/store/sqlite/openSqliteAudit.ts'
import { openSqliteRepair } from '@attestry/store/sqlite/openSqliteRepair.ts'
import { openSqliteReader } from '@attestry/store/sqlite/openSqliteReader.ts'
import { openSqliteWriter } from '@attestry/store/sqlite/openSqliteWriter.ts'
import { createSimulatedChain, type SimulatedChain } from '../simulator/simulatedChain.ts'
import {
  createVerifiedFolder,
  damage,
  damageIndex,
  exportIndex,
  indexChain,
  serveChain,
  verifiedChainOptions,
  type ServedChain,
  type VerifiedFolder,
} from './verifiedIndex.ts'
import { projections } from '../harness/projections.ts'

/** Blocks of the chain: as few as hold every kind of record that is damaged here. */
const blocks = 200

let served: ServedChain
let index: VerifiedFolder
let right: readonly string[]

beforeAll(async () => {
  served = await serveChain(7, blocks)
  index = await createVerifiedFolder(served)
  right = await exportIndex(index.copy())
})
afterAll(async () => {
  index.remove()
  await served.server.close()
})

const revokedByEvent =
  '(SELECT id FROM attestation WHERE revoked_id IS NOT NULL ORDER BY id LIMIT 1 OFFSET 2)'
const revokedSign =
  "(SELECT id FROM attestation WHERE revoked_id IS NOT NULL AND protocol = 'sign' ORDER BY id LIMIT 1)"
const middle = '(SELECT id FROM attestation ORDER BY id LIMIT 1 OFFSET 90)'
const unrevoked = '(SELECT id FROM attestation WHERE revoke_timestamp IS NULL ORDER BY id LIMIT 1 OFFSET 40)'
const columns =
  'schema_id, attester_id, attest_timestamp, transaction_key, recipient_ids, value_keys, protocol, valid_until, ' +
  'schema_local_id, attester, recipients_json, transaction_hash, indexing_value_json, data, data_location, linked_local_id, transaction_sender, sync_at, last_sync_at, revoked_id, revoke_timestamp, revoke_reason, ' +
  'revoke_transaction'

/** The damage, and the difference that `verify --offline` must report; null when only the chain reveals it. */
const damages: readonly [name: string, sql: string, offline: string | null][] = [
  ['a record is deleted', `DELETE FROM attestation WHERE id = ${middle}`, 'derived'],
  [
    'a schema is deleted',
    'DELETE FROM schema WHERE id = (SELECT id FROM schema WHERE registered = 1 ORDER BY attestation_count DESC LIMIT 1)',
    'rendered',
  ],
  [
    'a record is there twice',
    `INSERT INTO attestation (id, chain_id, local_id, ${columns}) ` +
      `SELECT id + 1048576 * 3 + 900, chain_id, 'fffff1', ${columns.replace('revoked_id, revoke_timestamp', 'NULL, revoke_timestamp')} FROM attestation WHERE id = ${unrevoked}`,
    'derived',
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
    'a revocation is lost',
    'UPDATE attestation SET revoked_id = NULL, revoke_timestamp = NULL, revoke_reason = NULL, revoke_transaction = NULL, ' +
      `last_sync_at = NULL WHERE id = ${revokedByEvent}`,
    'derived',
  ],
  [
    'a revocation is lost, and counted as lost',
    `DELETE FROM revocation_claim WHERE id = ${revokedSign}; ` +
      'UPDATE chain SET revocation_count = revocation_count - 1; ' +
      "UPDATE protocol_count SET revocation_count = revocation_count - 1 WHERE protocol = 'sign'; " +
      'UPDATE attestation SET revoked_id = NULL, revoke_timestamp = NULL, revoke_reason = NULL, revoke_transaction = NULL, ' +
      `last_sync_at = NULL WHERE id = ${revokedSign}`,
    'derived',
  ],
  [
    'a revocation is made up',
    `UPDATE attestation SET revoked_id = id + 5, revoke_timestamp = attest_timestamp, revoke_reason = '', ` +
      `revoke_transaction = '0x${'ab'.repeat(32)}', last_sync_at = 1 WHERE id = ${unrevoked}`,
    'derived',
  ],
  [
    'a counter of a schema is off',
    'UPDATE schema SET attestation_count = attestation_count + 1 WHERE id = 3',
    'derived',
  ],
  ['the class of a count is off', 'UPDATE schema SET count_class = count_class + 1 WHERE id = 4', 'derived'],
  ['a counter of an address is off', 'UPDATE address SET created = created + 1 WHERE created > 2', 'derived'],
  ['the counter of a chain is off', 'UPDATE chain SET attestation_count = attestation_count - 1', 'derived'],
  ['the digest of a chain is off', 'UPDATE chain SET digest_events = digest_events + 1', 'derived'],
  [
    'the digest of a chain is lost',
    'UPDATE chain SET digest_block = NULL, digest_events = NULL, digest = NULL',
    'derived',
  ],
  ['the block of a digest is off', 'UPDATE chain SET digest_block = checkpoint_block + 1', 'derived'],
  [
    'a digest of an older block is made up',
    "INSERT INTO chain_digest VALUES (31337, 3, 1, x'00')",
    'derived',
  ],
  ['the total is off', 'UPDATE index_state SET schema_count = schema_count + 1', 'derived'],
  ['the row of the state is lost', 'DELETE FROM index_state', 'derived'],
  [
    'the guard of the state is changed',
    'PRAGMA ignore_check_constraints = ON; UPDATE index_state SET only = 2',
    'derived',
  ],
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
    'the rendered JSON of a schema is stale',
    `UPDATE schema SET summary_json = replace(summary_json, '"name":"', '"name":"former ') WHERE id = 4`,
    'rendered',
  ],
  [
    'the rendered JSON of a record is none',
    `UPDATE attestation SET indexing_value_json = substr(indexing_value_json, 2) WHERE id = ${middle}`,
    'rendered',
  ],
  ['a search row is missing', 'DELETE FROM schema_text WHERE rowid = 3', 'derived'],
  [
    'a search row says something else',
    "DELETE FROM schema_text WHERE rowid = 3; INSERT INTO schema_text (rowid, name) VALUES (3, 'another name')",
    'derived',
  ],
  [
    'a row of a recipient is missing',
    'DELETE FROM received_by_chain WHERE id = (SELECT max(id) FROM received_by_chain)',
    'derived',
  ],
  [
    'a row of a recipient belongs to nothing',
    'UPDATE received_by_schema SET id = id + 12345 WHERE id = (SELECT max(id) FROM received_by_schema)',
    'orphan',
  ],
  [
    'a value is not found any more',
    'DELETE FROM value_posting WHERE id = (SELECT max(id) FROM value_posting)',
    'derived',
  ],
  ['the count of a part of a list is off', 'UPDATE list_count SET count = count + 1', 'derived'],
  ['a series of days is off', 'UPDATE rank_node SET prefix = prefix + 1000 WHERE level = 1', 'derived'],
  [
    'the hours that trending counts are off',
    'UPDATE schema_hour SET count = count + 2 WHERE hour = (SELECT max(hour) FROM schema_hour)',
    'derived',
  ],
  [
    'a tree of pages is off',
    'UPDATE rank_node SET counts = zeroblob(length(counts)) WHERE level = 1',
    'derived',
  ],
  ['the attesters of a schema are off', 'DELETE FROM schema_attester WHERE schema_id = 1', 'derived'],
  [
    'the totals of a protocol are off',
    "UPDATE protocol_count SET schema_count = 1 WHERE protocol = 'eas'",
    'derived',
  ],
  [
    'the name of an EAS schema is wrong',
    "UPDATE schema SET name = 'Somebody else', name_folded = 'somebody else', summary_json = " +
      `replace(summary_json, '"name":"' || name || '"', '"name":"Somebody else"') WHERE protocol = 'eas' AND definition_name = '' AND name = ''`,
    'derived',
  ],
  ['the attestations that name schemas are forgotten', 'DELETE FROM schema_name', 'derived'],
  ['an anchor is lost', 'DELETE FROM anchor WHERE id = (SELECT max(id) FROM anchor)', 'derived'],
  [
    'a log that nobody can read is lost',
    'DELETE FROM undecodable WHERE id = (SELECT max(id) FROM undecodable)',
    'derived',
  ],
  [
    'a claim belongs to nothing',
    "INSERT INTO revocation_claim VALUES (77, 31337, 0, 1, '1', NULL)",
    'orphan',
  ],
]

describe('an undamaged index', () => {
  test('has no difference, in a sample, as a whole, and by itself', async () => {
    for (const flags of [{}, { all: true }, { offline: true }]) {
      const path = index.copy()
      const { right: isRight, lines } = await index.verify(path, flags)
      expect(lines.filter(({ type }) => type === 'difference' || type === 'unasked')).toEqual([])
      expect(isRight).toBe(true)
    }
  })
})

test.each([
  ['DELETE FROM index_state', 'lost'],
  ['PRAGMA ignore_check_constraints = ON; UPDATE index_state SET only = 2', 'a damaged copy of'],
])('a database whose state is damaged is not opened, and what mends it is said: %s', (sql, what) => {
  const path = index.copy()
  damage(path, sql)
  for (const open of [openSqliteWriter, openSqliteReader]) {
    expect(() => open(path)).toThrow(
      `the database ${path} has ${what} the row of its state: stop the indexer and run \`attestry verify --repair\``,
    )
  }
})

describe('an index of which', () => {
  test.each(damages)('%s is found to be so, and repaired', async (_, sql, offline) => {
    const path = index.copy()
    damage(path, sql)
    await expectFoundAndRepaired(path, offline)
  })

  test('blocks are lost, and everything that derives from them, is found to be so, and repaired', async () => {
    const path = index.copy()
    await replace(path, [{ fromBlock: 100, toBlock: 180, events: [] }])
    await expectFoundAndRepaired(path, null)
  })

  test('an attestation is made up, and everything that derives from it, is found to be so, and repaired', async () => {
    const path = index.copy()
    const events = await eventsOf(path)
    const made = events.find(({ kind }) => kind === 'attestationMade')
    if (made?.kind !== 'attestationMade') throw new Error('the chain has attestations')
    const taken = new Set(events.map((event) => positionBlock(event.position)))
    const block = [...Array(blocks).keys()].slice(100).find((number) => !taken.has(number)) ?? 0
    const localId = `0x${'f1'.repeat(32)}` as LocalId
    const position = eventPosition(block, 0)
    const key = { ...made.attestation.key, localId }
    const event = { ...made, position, attestation: { ...made.attestation, position, key } }
    await replace(path, [{ fromBlock: block, toBlock: block, events: [event] }])
    await expectFoundAndRepaired(path, null)
  })

  test('a SQLite index lacks an entry is found to be so, and repaired', async () => {
    const path = index.copy()
    damageIndex(
      path,
      'attestation_by_time',
      `UPDATE attestation SET attest_timestamp = 5 WHERE id = ${middle}`,
    )
    await expectFoundAndRepaired(path, 'file')
  })

  test.each([
    ['most records of a contract', "DELETE FROM attestation WHERE protocol = 'sign' AND id & 7 > 0"],
    ['all records of a contract', "DELETE FROM attestation WHERE protocol = 'sign'"],
    [
      'all records of the chain',
      'DELETE FROM attestation; DELETE FROM schema; DELETE FROM anchor; DELETE FROM undecodable',
    ],
  ])('%s are lost is repaired where only a sample is asked for', async (_, sql) => {
    const path = index.copy()
    damage(path, sql)
    expect((await index.verify(path, { sample: '3' })).right).toBe(false)
    const repaired = await index.verify(path, { sample: '3', repair: true })
    expect(repaired.lines.at(-1)).toEqual({ type: 'summary', differences: 0, unasked: 0 })
    expect(await exportIndex(path)).toEqual(right)
  })
})

test('a record that was born revoked at a time within the next hour is read again as revoked', async () => {
  let seed = 1
  while (!hasRevocationToCome(createSimulatedChain(verifiedChainOptions(seed, blocks)))) seed++
  const young = await serveChain(seed, blocks)
  const folder = await createVerifiedFolder(young)
  try {
    const [path, whole] = [folder.copy(), await exportIndex(folder.copy())]
    damage(path, 'UPDATE attestation SET valid_until = valid_until / 2 + 7, exact_valid_until = NULL')
    expect((await folder.verify(path, { all: true, repair: true })).right).toBe(true)
    expect(await exportIndex(path)).toEqual(whole)
  } finally {
    folder.remove()
    await young.server.close()
  }
})

function hasRevocationToCome(chain: SimulatedChain): boolean {
  const head = chain.block(chain.view(), chain.head())?.timestamp ?? 0
  return chain
    .events(chain.view(), 0, chain.head())
    .flatMap((event) => (event.kind === 'signAttestation' ? [event.record.bornRevokedAt ?? 0] : []))
    .some((time) => time > head && time < head + 3600)
}

/** `offline` is the difference that `verify --offline` must report; null when only the chain reveals it. */
async function expectFoundAndRepaired(path: string, offline: string | null): Promise<void> {
  const alone = await index.verify(path, { offline: true })
  const found = alone.lines.filter(({ type }) => type === 'difference').map(({ what }) => what)
  expect(found.find((what) => offline === null || what === offline) ?? null).toBe(offline)
  expect((offline === null ? await index.verify(path, { all: true }) : alone).right).toBe(false)

  const repaired = await index.verify(path, { all: true, repair: true })
  expect(repaired.lines.at(-1)).toEqual({ type: 'summary', differences: 0, unasked: 0 })
  expect(repaired.right).toBe(true)

  // The indexer reads the rewound blocks again.
  await indexChain(served, path)
  expect(await exportIndex(path)).toEqual(right)
  // The export is that of the chain; what derives from the records is compared without the chain.
  const again = await index.verify(path, { offline: true })
  expect(again.lines.filter(({ type }) => type === 'difference')).toEqual([])
  expect(again.right).toBe(true)
}

/** Replaces the events of blocks, and rebuilds the derived tables. */
async function replace(path: string, ranges: readonly BlockRange[]): Promise<void> {
  const repair = openSqliteRepair(path, { ...allFields, projections })
  await repair.replaceBlocks(served.chain.chainId, ranges, 1_700_000_000_000)
}

async function eventsOf(path: string): Promise<DomainEvent[]> {
  const audit = openSqliteAudit(path, { ...allFields, projections })
  const events: DomainEvent[] = []
  for await (const { event } of audit.readEvents(served.chain.chainId, 0, served.chain.head()))
    events.push(event)
  await audit.close()
  return events
}
