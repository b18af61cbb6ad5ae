import fc from 'fast-check'
import { expect, test } from 'vitest'
import { ExportDamagedError, StoreNotEmptyError } from '@attestry/core/errors/storeErrors.ts'
import type { IndexReader } from '@attestry/core/index/indexReader.ts'
import type { IndexRestore } from '@attestry/core/index/indexRestore.ts'
import type { IndexWriter } from '@attestry/core/index/indexWriter.ts'
import { restoreIndex } from '../transfer/restoreIndex.ts'
import { steps } from './generatedChain.ts'
import { historyRuns } from './historyShare.ts'
import { histories, playHistory } from './playHistory.ts'
import type { TestStore, TestStoreOptions } from './storeFactory.ts'
import { nightTest } from '@attestry/test/harness/nightly.ts'

/** A store that may not be there yet: `openRestore` fills it. */
export interface TransferStore extends TestStore {
  openRestore(): IndexRestore
}

export type CreateTransferStore = (options: TestStoreOptions) => Promise<TransferStore>

const program = '0.0.0-test'

export function testTransfer(create: CreateTransferStore, share: number): void {
  test('an export read into an empty store gives the same export, and lives on as the first one does', async () => {
    await fc.assert(
      fc.asyncProperty(
        histories,
        histories,
        fc.constantFrom(4, 1_000),
        async (first, second, rankThreshold) => {
          const [from, into] = [await create({ rankThreshold }), await create({ rankThreshold })]
          try {
            const { lines, chains } = await use(from, async (writer, reader) => {
              const played = await playHistory(writer, first)
              return { lines: await exportWhole(reader), chains: played }
            })
            await restoreIndex(asStream(lines), into.openRestore())
            const before = await use(into, (_, reader) => exportWhole(reader))
            expect(before).toEqual(lines)
            const [straight, moved] = await Promise.all(
              [from, into].map((store) =>
                use(store, async (writer, reader) => {
                  await playHistory(writer, second, chains)
                  return exportWhole(reader)
                }),
              ),
            )
            expect(moved).toEqual(straight)
          } finally {
            await from.remove()
            await into.remove()
          }
        },
      ),
      { numRuns: historyRuns(40, share), verbose: 1 },
    )
  })

  const slowTest = share === 1 ? test : nightTest
  slowTest('an export that was cut, changed or made up leaves nothing behind', async () => {
    const [from, into] = [await create({ rankThreshold: 4 }), await create({ rankThreshold: 4 })]
    try {
      const lines = await use(from, async (writer, reader) => {
        await playHistory(writer, sampleHistory())
        return exportWhole(reader)
      })
      const middle = lines.length >> 1
      const damaged: readonly string[][] = [
        [],
        lines.slice(1),
        lines.slice(0, -1),
        lines.slice(0, middle),
        lines.toSpliced(middle, 1),
        lines.toSpliced(middle, 0, lines[middle] ?? ''),
        lines.with(middle, (lines[middle] ?? '').replace(/[1-9]/, '0')),
        lines.with(middle, '{'),
        lines.with(0, (lines[0] ?? '').replace('"version":3', '"version":9')),
        [...lines, lines[middle] ?? ''],
      ]
      for (const [index, each] of damaged.entries()) {
        await expect(
          restoreIndex(asStream(each), into.openRestore()),
          `damage ${index}`,
        ).rejects.toBeInstanceOf(ExportDamagedError)
      }
      // Some records are revoked without an event.
      const isSign = (protocol: string) => protocol === 'sign'
      await expect(
        restoreIndex(asStream(lines), into.openRestore(), { mayBeBornRevoked: isSign }),
      ).rejects.toThrow(/as revoked without a revocation, which no contract of (?!sign)/)
      // None of them stands in the way of a whole one.
      const { bornRevoked } = await restoreIndex(asStream(lines), into.openRestore())
      expect(bornRevoked).toBeGreaterThan(0)
      expect(await use(into, (_, reader) => exportWhole(reader))).toEqual(lines)
    } finally {
      await from.remove()
      await into.remove()
    }
  })

  test('a store that holds a chain is not imported into', async () => {
    const store = await create({ rankThreshold: 4 })
    try {
      const lines = await use(store, async (writer, reader) => {
        await playHistory(writer, sampleHistory())
        return exportWhole(reader)
      })
      await expect(async () => restoreIndex(asStream(lines), store.openRestore())).rejects.toBeInstanceOf(
        StoreNotEmptyError,
      )
      expect(await use(store, (_, reader) => exportWhole(reader))).toEqual(lines)
    } finally {
      await store.remove()
    }
  })
}

/** A history with something of everything. */
function sampleHistory() {
  const life = fc.sample(steps(60), { numRuns: 3, seed: 11 })
  return life.map((each, chain) => ({ chain, revert: 0, life: each, cuts: [5], announced: false }))
}

async function use<Result>(
  store: TestStore,
  work: (writer: IndexWriter, reader: IndexReader) => Promise<Result>,
): Promise<Result> {
  const writer = store.openWriter()
  const reader = store.openReader()
  try {
    return await work(writer, reader)
  } finally {
    await reader.close()
    await writer.close()
  }
}

async function exportWhole(reader: IndexReader): Promise<string[]> {
  const lines: string[] = []
  for await (const line of reader.exportLines({ program })) lines.push(line)
  return lines
}

async function* asStream(lines: readonly string[]): AsyncGenerator<string> {
  yield* lines
}
