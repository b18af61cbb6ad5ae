import { setImmediate } from 'node:timers/promises'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { formatCompositeId, type ChainId } from '@attestry/core/model/compositeId.ts'
import type { IndexReader } from '@attestry/core/index/indexReader.ts'
import type { IndexWriter } from '@attestry/core/index/indexWriter.ts'
import { generateBlocks, type GeneratedBlock, type Step } from './generatedChain.ts'
import { historyRuns } from './historyShare.ts'
import { buildModel, byTopOrder } from './modelIndex.ts'
import { batchOf, identityOf, storedAt, withStore, type CreateTestStore } from './storeFactory.ts'

/** Attestations that come at once under one of nine schemas. */
interface Burst {
  readonly schema: number
  readonly count: number
}

/** Two chains with the same schemas, of which two in nine are never registered. */
const chainIds = [5, 137]

const bursts = fc.array(fc.record({ schema: fc.nat(8), count: fc.integer({ min: 1, max: 30 }) }), {
  maxLength: 12,
  size: 'max',
})

export function testTopSchemas(create: CreateTestStore, share: number): void {
  test('the schemas with most attestations come first whatever their counts, and after counts went down', async () => {
    await fc.assert(
      fc.asyncProperty(bursts, bursts, fc.nat(20), async (first, second, kept) => {
        await withStore(create, { rankThreshold: 1_000 }, async (writer, reader) => {
          const chains = new Map<ChainId, GeneratedBlock[]>()
          for (const chainId of chainIds) {
            await writer.openChain(identityOf(chainId))
            await apply(writer, chains, chainId, [...registrations(), ...first.flatMap(stepsOf)], 'a')
            await compare(reader, chains)
          }
          for (const chainId of chainIds.slice(1)) {
            await revert(writer, chains, chainId, kept)
            await compare(reader, chains)
            await apply(writer, chains, chainId, second.flatMap(stepsOf), 'b')
            await compare(reader, chains)
          }
        })
      }),
      { numRuns: historyRuns(25, share), verbose: 1 },
    )
  })
}

async function apply(
  writer: IndexWriter,
  chains: Map<ChainId, GeneratedBlock[]>,
  chainId: ChainId,
  life: readonly Step[],
  salt: string,
): Promise<void> {
  const before = chains.get(chainId) ?? []
  const blocks = generateBlocks(chainId, before, life, salt)
  await writer.applyBlocks(chainId, batchOf(blocks))
  chains.set(chainId, [...before, ...blocks])
}

async function revert(
  writer: IndexWriter,
  chains: Map<ChainId, GeneratedBlock[]>,
  chainId: ChainId,
  toBlock: number,
): Promise<void> {
  const blocks = chains.get(chainId) ?? []
  if (toBlock + 1 >= blocks.length) return
  await writer.revertBlocks(chainId, toBlock, storedAt)
  chains.set(chainId, blocks.slice(0, toBlock + 1))
}

async function compare(
  reader: IndexReader,
  chains: ReadonlyMap<ChainId, readonly GeneratedBlock[]>,
): Promise<void> {
  // Reads of one turn of the event loop may see one state of the index.
  await setImmediate()
  const top = [...buildModel(chains).schemas]
    .sort(byTopOrder)
    .map(({ record, attestationCount }) => `${formatCompositeId(record.key)} ${attestationCount}`)
  for (let limit = 1; limit <= top.length + 1; limit++) {
    const rows = await reader.listTopSchemas(limit)
    const found = rows.map(({ key, attestationCount }) => `${formatCompositeId(key)} ${attestationCount}`)
    expect(found).toEqual(top.slice(0, limit))
  }
}

function registrations(): Step[] {
  return Array.from({ length: 7 }, (_, what) => ({ kind: 0, gap: what % 3, who: 0, whom: 0, what, text: 3 }))
}

function stepsOf({ schema, count }: Burst): Step[] {
  // By an odd number each schema is named but the first, which every even one names.
  const what = schema % 2 === 1 || schema === 0 ? schema : schema + 9
  return Array.from({ length: count }, (_, index) => {
    return { kind: 9, gap: index === 0 ? 1 : 0, who: index % 4, whom: 1, what, text: 3 }
  })
}
