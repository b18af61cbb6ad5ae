import { expect, test, vi } from 'vitest'
import { withTestConnection } from '@attestry/test/harness/postgresConnection.ts'
import { createPostgresTestStore } from '@attestry/test/harness/postgresTestStore.ts'
import { formatCompositeId, type RecordKey } from '@attestry/core/model/compositeId.ts'
import type { Address } from '@attestry/core/model/hex.ts'
import type { ClassifiedKeyword } from '@attestry/core/model/keyword.ts'
import { everyAttestation, everySchema, type AttestationFilter } from '@attestry/core/index/indexQueries.ts'
import type { IndexReader } from '@attestry/core/index/indexReader.ts'
import type { IndexWriter } from '@attestry/core/index/indexWriter.ts'
import {
  addresses,
  attestationId,
  generateBlocks,
  schemaId,
  type GeneratedBlock,
} from '../testing/generatedChain.ts'
import { batchOf, identityOf } from '../testing/storeFactory.ts'
import type { Connection } from './connection.ts'
import { openPostgresReader } from './openPostgresReader.ts'
import { openPostgresWriter } from './openPostgresWriter.ts'

/** Whose lists are long: one schema, one attester, one recipient. */
const long = { chainId: 5, who: 0, whom: 1, what: 54 }
/** Those on another chain that comes later: three entries each, which are among the oldest of all. */
const short = { chainId: 6, who: 2, whom: 3, what: 54 }
const pages = { page: 1, size: 10 }
const longLength = 3_000

test.each(['none', 'one that is all'])('plans that were made for %s read the list alone', async (kind) => {
  const { url, remove } = await createPostgresTestStore({ rankThreshold: 1_000 })
  const writer = openPostgresWriter(url)
  const reader = openPostgresReader(url, { connectionsMax: 1 })
  try {
    await withTestConnection(url, async (connection) => {
      if (kind === 'none') await readOften(reader, short)
      await fill(writer, long, longLength)
      if (kind !== 'none') {
        await connection.exec('ANALYZE')
        await readOften(reader, long)
      }
      await fill(writer, short, 3)
      await writer.close()

      const before = await countRead(connection, 1)
      const all = longLength + 3
      expect(await readLists(reader, short)).toEqual([all, 3, 3, 3, 3, 3, 2, 1, 3, 3, 2, 4, 1, 1, all])
      await reader.close()
      // All that it has ever read; to pass over the long list once is to read each of its rows.
      expect((await countRead(connection, 0)) - before).toBeLessThan(longLength)
    })
  } finally {
    await reader.close()
    await writer.close()
    await remove()
  }
})

/** As often as it takes the server to keep plans of its own accord: it tries five times first. */
async function readOften(reader: IndexReader, owner: typeof long): Promise<void> {
  for (let time = 0; time < 8; time++) await readLists(reader, owner)
}

/** Reads the first page of all lists, and of those that the owners have; answers their totals. */
async function readLists(reader: IndexReader, { chainId, who, whom, what }: typeof long): Promise<number[]> {
  const fields = { detail: true, schema: true }
  const schema = { chainId, localId: schemaId(what) }
  const list = (narrowed: Partial<AttestationFilter>) =>
    reader.listAttestations({ filter: { ...everyAttestation, ...narrowed } }, pages, fields)
  const recipient = { kind: 'address', address: addressOf(whom) } as const
  const lists = [
    await list({}),
    await list({ schema }),
    await reader.listAttestationSummaries(schema, pages),
    await list({ attester: addressOf(who) }),
    await list({ recipient, chainId }),
    await list({ attester: addressOf(who), schema }),
    await reader.listSchemas({ filter: everySchema }, pages),
    await reader.listSchemas({ filter: { ...everySchema, registrant: addressOf(who) } }, pages),
    { total: countFound(await reader.findAttestations(firstThree(chainId), fields)) },
    { total: countFound(await Promise.all(firstThree(chainId).map((key) => reader.findAttestation(key)))) },
    { total: countFound([await reader.findSchema(schema), ...(await reader.findSchemas([schema]))]) },
    {
      total: countFound([
        await reader.findEvent(schema, 'schema'),
        ...(await Promise.all(firstThree(chainId).map((key) => reader.findEvent(key, 'attestation')))),
      ]),
    },
    await reader.searchAttestations(keywordOf({ chainId, localId: attestationId(0) }), 3),
    await reader.searchSchemas(keywordOf(schema), 3),
    await reader.groupAttestations({ by: 'recipient', filter: everyAttestation, ...pages }),
  ]
  return lists.map(({ total }) => total)
}

/** A chain on which a schema is registered, and then so many attestations are made. */
async function fill(writer: IndexWriter, { chainId, who, whom, what }: typeof long, count: number) {
  const step = { gap: 1, who, whom, what, text: 3 }
  const made = Array.from({ length: count }, () => ({ ...step, kind: 10 }))
  await writer.openChain(identityOf(chainId))
  await writer.applyBlocks(
    chainId,
    batchOf(ofOneProtocol(generateBlocks(chainId, [], [{ ...step, kind: 0 }, ...made], 'a'))),
  )
}

/** Generated attestations are of two protocols in turn. */
function ofOneProtocol(blocks: readonly GeneratedBlock[]): GeneratedBlock[] {
  let index = 0
  return blocks.map((block) => ({
    ...block,
    events: block.events.map((event) => {
      if (event.kind !== 'attestationMade') return event
      const key = { ...event.attestation.key, localId: attestationId(index++) }
      return { ...event, attestation: { ...event.attestation, protocol: 'sign', key } }
    }),
  }))
}

function firstThree(chainId: number): RecordKey[] {
  return [0, 1, 2].map((index) => ({ chainId, localId: attestationId(index) }))
}

function keywordOf(key: RecordKey): ClassifiedKeyword {
  return { text: formatCompositeId(key), target: { kind: 'compositeId', key } }
}

function countFound(records: readonly unknown[]): number {
  return records.filter((record) => record !== null).length
}

function addressOf(index: number): Address {
  return addresses[index] ?? addresses[0]!
}

/**
 * How many rows and entries of indexes sessions that are over have read: the server counts them by the end of each.
 * `open`: the others.
 */
async function countRead(connection: Connection, open: number): Promise<number> {
  const sessions = `SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND application_name LIKE 'attestry %'`
  await vi.waitFor(async () => expect(await connection.get(sessions)).toEqual([open]), { timeout: 60_000 })
  const row = await connection.get<[number]>(
    'SELECT (SELECT sum(seq_tup_read) FROM pg_stat_user_tables)::bigint + (SELECT sum(idx_tup_read) FROM pg_stat_user_indexes)::bigint',
  )
  return row?.[0] ?? 0
}
