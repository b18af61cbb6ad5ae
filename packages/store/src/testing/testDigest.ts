import { createHash } from 'node:crypto'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import type { DomainEvent } from '@attestry/core/model/domainEvent.ts'
import { positionBlock } from '@attestry/core/model/position.ts'
import { unixMilliseconds } from '@attestry/core/model/time.ts'
import type { IndexWriter } from '@attestry/core/index/indexWriter.ts'
import { eventText } from '../layout/eventDigest.ts'
import { generateBlocks, manyAnchors, type GeneratedBlock } from './generatedChain.ts'
import { batchOf, identityOf, withStore, type CreateTestStore, type TestReader } from './storeFactory.ts'

const options = { rankThreshold: 4 }

export function testDigest(create: CreateTestStore): void {
  test('the digest at every block is the sum of the hashes of the events up to that block', async () => {
    await withStore(create, options, async (writer, reader) => {
      // More events than stand between two digests that are kept, several times.
      const blocks = manyAnchors(400)
      await fillInBatches(writer, blocks, [150, 3, 1])
      await expectDigests(reader, blocks)
      const kept = blocks.slice(0, 200)
      await writer.revertBlocks(5, 199, unixMilliseconds(1))
      await expectDigests(reader, kept)
      const forked = generateBlocks(5, kept, lifeOfEveryKind, 'fork')
      await writer.applyBlocks(5, batchOf(forked))
      await expectDigests(reader, [...kept, ...forked])
    })
  })

  test('a block tells its events, each with its own digest', async () => {
    await withStore(create, options, async (writer, reader) => {
      const blocks = generateBlocks(5, [], lifeOfEveryKind, 'a')
      await fillInBatches(writer, blocks, [100])
      const told: unknown[] = []
      for (const { number } of blocks) told.push(...((await reader.findDigest(5, number))?.events ?? []))
      const events = blocks.flatMap((block) => block.events)
      expect(told).toEqual(
        events.map((event) =>
          expect.objectContaining({ value: sumOf([event]), eventIndex: event.position % 2 ** 20 }),
        ),
      )
      expect(new Set(told.map((event) => (event as { type: string }).type))).toEqual(
        new Set(['schema', 'attestation', 'revocation', 'name', 'anchor', 'metadata', 'undecodable']),
      )
    })
  })

  test('a chain that is not indexed has no digest, and a block above the newest one neither', async () => {
    await withStore(create, options, async (writer, reader) => {
      expect(await reader.findDigest(5, null)).toBeNull()
      await writer.openChain(identityOf(5))
      await nextTurn()
      expect(await reader.findDigest(5, null)).toMatchObject({ newest: { blockNumber: null }, asked: null })
      const blocks = generateBlocks(5, [], lifeOfEveryKind, 'a')
      await writer.applyBlocks(5, batchOf(blocks))
      await nextTurn()
      expect(await reader.findDigest(5, blocks.length)).toMatchObject({ asked: null, events: [] })
      const newest = await reader.findDigest(5, null)
      expect(newest?.asked).toEqual(newest?.newest)
      expect(newest?.contracts).toEqual(identityOf(5).contracts)
    })
  })
}

/** One event of every kind, and a name. */
const lifeOfEveryKind = [
  ...[0, 10, 2, 5, 6, 9].map((kind, index) => {
    return { kind, gap: 1, who: index % 4, whom: 3, what: kind === 2 ? 0 : 2, text: 5 }
  }),
  // Metadata.
  { kind: 5, gap: 1, who: 0, whom: 3, what: 4, text: 5 },
]

/** Applies blocks, cut into batches at these numbers. */
export async function fillInBatches(
  writer: IndexWriter,
  blocks: readonly GeneratedBlock[],
  cuts: readonly number[],
): Promise<void> {
  await writer.openChain(identityOf(5))
  for (let from = 0, cut = 0; from < blocks.length; cut++) {
    const size = cuts[cut % cuts.length] ?? 1
    await writer.applyBlocks(5, batchOf(blocks.slice(from, from + size)))
    from += size
  }
}

/** Compares every digest of chain 5 with the sum of its events' hashes. */
export async function expectDigests(reader: TestReader, blocks: readonly GeneratedBlock[]): Promise<void> {
  await nextTurn()
  const events = blocks.flatMap((block) => block.events)
  const last = blocks.length - 1
  for (const block of [0, 1, 2, 73, 99, 100, 101, 102, 198, 199, last]) {
    const upTo = events.filter(({ position }) => positionBlock(position) <= block)
    const digest = { version: 3, blockNumber: block, eventCount: upTo.length, value: sumOf(upTo) }
    expect((await reader.findDigest(5, block))?.asked).toEqual(block > last ? null : digest)
  }
  expect((await reader.listChains())[0]?.digest).toEqual((await reader.findDigest(5, last))?.asked)
}

/** The same sum by arithmetic on whole numbers. */
function sumOf(events: readonly DomainEvent[]): string {
  const hashes = events.map((event) =>
    BigInt(`0x${createHash('sha256').update(eventText(event)).digest('hex')}`),
  )
  const sum = hashes.reduce((total, each) => total + each, 0n) % 2n ** 256n
  return `0x${sum.toString(16).padStart(64, '0')}`
}
