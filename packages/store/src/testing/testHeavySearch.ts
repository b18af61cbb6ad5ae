import { setImmediate } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { localIdOfCounter, type ChainId } from '@attestry/core/model/compositeId.ts'
import type { DomainEvent } from '@attestry/core/model/domainEvent.ts'
import { zeroAddress } from '@attestry/core/model/hex.ts'
import { classifyKeyword, type ClassifiedKeyword } from '@attestry/core/model/keyword.ts'
import type { Schema } from '@attestry/core/model/records.ts'
import { unixSeconds } from '@attestry/core/model/time.ts'
import type { IndexReader } from '@attestry/core/index/indexReader.ts'
import { addresses, generateBlocks, hashOf, texts, type GeneratedBlock, type Step } from './generatedChain.ts'
import { buildModel, bySchemaOrder, rankSchema, type ModelIndex } from './modelIndex.ts'
import { batchOf, fillStore, storedAt, withStore, type CreateTestStore } from './storeFactory.ts'
import { modelKey, schemaKey } from './testListings.ts'

/** Keywords that find nearly all schemas, many, few and none; of texts with few characters, too. */
const keywords: readonly string[] = [
  ...addresses,
  'name',
  'Name',
  'am',
  'e',
  'name tag',
  'longer name of thing',
  // The index of texts has a space there, the name a NUL.
  'nul inside',
  'inside name',
  'inside name tag',
  'rarely',
  'ely',
  '語 name',
  '26',
  '2',
  '0x1',
  '0x',
]

export function testHeavySearch(create: CreateTestStore): void {
  test('a keyword that finds hundreds of schemas finds them in order on every page, and anew when the index has moved', async () => {
    await withStore(create, { rankThreshold: 16 }, async (writer, reader) => {
      const chains = new Map([137, 5].map((chainId) => [chainId, schemaBlocks(chainId, [], 450, 1)]))
      expect(buildModel(chains).schemas).toHaveLength(900)
      await fillStore(writer, chains)
      await compareAll(reader, buildModel(chains))

      const grow = async (chainId: ChainId, blocks: readonly GeneratedBlock[]) => {
        await writer.applyBlocks(chainId, batchOf(blocks))
        chains.set(chainId, [...(chains.get(chainId) ?? []), ...blocks])
        await compareAll(reader, buildModel(chains))
      }
      // Only attestations change which are the best.
      await grow(137, generateBlocks(137, chains.get(137) ?? [], attestations, 'b'))

      const kept = (chains.get(5) ?? []).slice(0, 60)
      await writer.revertBlocks(5, kept.length - 1, storedAt)
      chains.set(5, kept)
      await compareAll(reader, buildModel(chains))
      await grow(5, schemaBlocks(5, kept, 30, 2_000))
    })
  })
}

/** Blocks that register schemas, up to four in each, by few accounts that are resolvers, too. */
function schemaBlocks(
  chainId: ChainId,
  parent: readonly GeneratedBlock[],
  count: number,
  firstCounter: number,
): GeneratedBlock[] {
  const life = Array.from({ length: count }, (_, index) => ({
    kind: 5,
    gap: index % 4 === 0 ? 1 : 0,
    who: 0,
    whom: 0,
    what: 0,
    text: 0,
  }))
  let counter = firstCounter
  return generateBlocks(chainId, parent, life, 'a').map((block) => ({
    ...block,
    events: block.events.map(({ position }): DomainEvent => {
      const number = counter++
      const name = names[number % names.length] ?? ''
      const definition = { name, description: names[(number + 3) % names.length] ?? '', fields: [] }
      const schema: Schema = {
        key: { chainId, localId: localIdOfCounter(BigInt(number)) },
        position,
        transactionHash: hashOf(`${chainId} ${number}`),
        transactionSender: null,
        protocol: 'sign',
        registrant: addresses[number % 3] ?? zeroAddress,
        registerTimestamp: unixSeconds(block.timestamp),
        revocable: true,
        maxValidFor: 0n,
        resolver: number % 5 === 0 ? zeroAddress : (addresses[number % 4] ?? zeroAddress),
        dataLocation: 'ONCHAIN',
        definition,
        rawText: '',
        context: null,
      }
      return { kind: 'schemaRegistered', position, schema }
    }),
  }))
}

const names = [
  'Name',
  'name tag',
  'A longer NAME of things',
  'nul\0inside name',
  'the 26th name',
  'name',
  '語 name',
  'rarely',
]

/** Under the schemas with the lowest counters. */
const attestations: readonly Step[] = Array.from({ length: 60 }, (_, index) => ({
  kind: 12,
  gap: index % 2,
  who: index % 4,
  whom: index % 6,
  what: 2 * (index % 20) + 1,
  text: index % texts.length,
}))

async function compareAll(reader: IndexReader, model: ModelIndex): Promise<void> {
  // All reads of one turn may see one state of the index.
  await setImmediate()
  for (const text of keywords) {
    const keyword = classifyKeyword(text)
    if (keyword === null) throw new Error('it is a keyword')
    await compare(reader, model, keyword)
    // A remembered answer must be the same.
    await compare(reader, model, keyword)
  }
}

async function compare(reader: IndexReader, model: ModelIndex, keyword: ClassifiedKeyword): Promise<void> {
  const found = model.schemas.flatMap((each) => {
    const rank = rankSchema(each, keyword)
    return rank === null ? [] : [{ ...each, rank }]
  })
  const size = 7
  const last = Math.max(1, Math.ceil(found.length / size))
  for (const page of new Set([1, 2, Math.ceil(last / 2), last, last + 1])) {
    const listed = await reader.listSchemas({ keyword }, { page, size })
    expect(listed.total, keyword.text).toBe(found.length)
    expect(listed.rows.map(schemaKey), `${keyword.text}, page ${page}`).toEqual(
      found.slice((page - 1) * size, page * size).map(modelKey),
    )
  }
  const best = [...found].sort(
    (a, b) =>
      a.rank - b.rank || (a.rank >= 2 ? b.attestationCount - a.attestationCount : 0) || bySchemaOrder(a, b),
  )
  const group = await reader.searchSchemas(keyword, size)
  expect(group.total, keyword.text).toBe(found.length)
  expect(group.rows.map(schemaKey), keyword.text).toEqual(best.slice(0, size).map(modelKey))
}
