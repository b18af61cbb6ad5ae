import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { localIdOfCounter } from '@attestry/core/model/compositeId.ts'
import type { SchemaRegistered } from '@attestry/core/model/domainEvent.ts'
import { eventPosition } from '@attestry/core/model/position.ts'
import { generateBlocks, type GeneratedBlock } from '../testing/generatedChain.ts'
import { batchOf, identityOf } from '../testing/storeFactory.ts'
import { openConnection, type Connection } from './connection.ts'
import { migrateSqlite } from './migrateSqlite.ts'
import { openSqliteWriter } from './openSqliteWriter.ts'

const chainId = 5
const schemasPerBlock = [1_000, 1_000, 1_000, 1]

let folder: string
let path: string
let connection: Connection

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'attestry-writer-'))
  path = join(folder, 'index.db')
  migrateSqlite(path)
  connection = openConnection(path, { readOnly: true, cacheMib: 8 })
})
afterEach(() => {
  connection.close()
  rmSync(folder, { recursive: true, force: true })
})

test('the text index that a backfill leaves in pieces is one piece after the first commit of the head', async () => {
  const writer = openSqliteWriter(path)
  const batches = blocksOfSchemas().map((block) => batchOf([block]))
  await writer.openChain(identityOf(chainId))
  for (const batch of batches.slice(0, 3)) await writer.applyBlocks(chainId, batch)
  expect(countPieces()).toBe(3)
  for (const batch of batches.slice(3)) await writer.applyBlocks(chainId, batch)
  expect(countPieces()).toBe(1)
  expect(connection.statement<[number]>('SELECT count(*) FROM schema_text').get()).toEqual([3_001])
  await writer.close()
})

test('so it is where the process of the backfill has ended before', async () => {
  for (const blocks of [blocksOfSchemas().slice(0, 3), blocksOfSchemas().slice(3)]) {
    const writer = openSqliteWriter(path)
    await writer.openChain(identityOf(chainId))
    for (const block of blocks) await writer.applyBlocks(chainId, batchOf([block]))
    expect(countPieces()).toBe(blocks.length)
    await writer.close()
  }
})

function countPieces(): number | undefined {
  return connection.statement<[number]>('SELECT count(DISTINCT segid) FROM schema_text_idx').get()?.[0]
}

function blocksOfSchemas(): GeneratedBlock[] {
  const registering = { kind: 0, gap: 0, who: 0, whom: 1, what: 0, text: 3 }
  const [block] = generateBlocks(chainId, [], [registering], 'a')
  const registered = block?.events.find(
    (event): event is SchemaRegistered => event.kind === 'schemaRegistered',
  )
  if (block === undefined || registered === undefined) throw new Error('no schema was generated')
  let counter = 0
  return schemasPerBlock.map((count, number) => ({
    ...block,
    number,
    events: Array.from({ length: count }, (_, logIndex) => {
      const position = eventPosition(number, logIndex)
      const key = { chainId, localId: localIdOfCounter(BigInt(++counter)) }
      return { ...registered, position, schema: { ...registered.schema, key, position } }
    }),
  }))
}
