import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { ChainId } from '@attestry/core/model/compositeId.ts'
import { unixMilliseconds } from '@attestry/core/model/time.ts'
import type { Difference, IndexAudit, IndexRepair } from '@attestry/core/index/indexAudit.ts'
import type { IndexWriter } from '@attestry/core/index/indexWriter.ts'
import type { GeneratedBlock } from './generatedChain.ts'
import { historyRuns } from './historyShare.ts'
import { histories, playHistory } from './playHistory.ts'
import { exportAndClose, type TestStore, type TestStoreOptions } from './storeFactory.ts'
import { nightTest } from '@attestry/test/harness/nightly.ts'

/** A store that can be looked at as a whole, and mended. */
/** The schemas whose fields a writer indexes; `some`: half of them. */
export type TestFieldSetting = 'all' | 'some' | 'none'

export interface AuditedStore extends TestStore {
  /** All by default; `rowsPerStep` bounds a step of `advanceFields`. */
  openWriter(setting?: TestFieldSetting, rowsPerStep?: number): IndexWriter
  openAudit(): IndexAudit
  openRepair(): IndexRepair
  /** Finds the counts of the database that differ from its records (recount.ts). */
  findMiscounts(): Promise<string[]>
}

export type CreateAuditedStore = (options: TestStoreOptions) => Promise<AuditedStore>

export function testAudit(create: CreateAuditedStore, share: number): void {
  /** The second database tries the slowest histories at night only. */
  const slowTest = share === 1 ? test : nightTest

  test('no history of batches and reorganisations leaves a store that contradicts itself', async () => {
    await fc.assert(
      fc.asyncProperty(histories, fc.constantFrom(1, 4, 1_000), async (history, rankThreshold) => {
        await withLife(create, { rankThreshold }, history, async (store) => {
          expect(await contradictionsOf(store)).toEqual([])
          expect(await store.findMiscounts()).toEqual([])
        })
      }),
      { numRuns: historyRuns(40, share) },
    )
  })

  test('the events of any blocks are read as they were applied', async () => {
    await fc.assert(
      fc.asyncProperty(histories, fc.nat(), fc.nat(), async (history, a, b) => {
        await withLife(create, { rankThreshold: 4 }, history, async (store, chains) => {
          const audit = store.openAudit()
          for (const [chainId, blocks] of chains) {
            const [fromBlock, toBlock] = rangeOf(blocks, a, b)
            const read: string[] = []
            for await (const { event } of audit.readEvents(chainId, fromBlock, toBlock))
              read.push(describeEvent(event))
            expect(read).toEqual(eventsOf(blocks, fromBlock, toBlock).map(describeEvent))
            const bornRevoked: number[] = []
            for await (const { event, revocation } of audit.readEvents(chainId, 0, 1_000_000)) {
              if (revocation?.position === null) bornRevoked.push(event.position)
            }
            const total = bornRevoked.length
            const found = await audit.sampleBornRevoked(chainId, 1_000, Math.random)
            expect(found).toEqual({ positions: bornRevoked, total })
            const one = await audit.sampleBornRevoked(chainId, 1, () => 0)
            expect([one.positions.length, one.total]).toEqual([Math.min(1, total), total])
          }
          await audit.close()
        })
      }),
      { numRuns: historyRuns(30, share) },
    )
  })

  slowTest(
    'making everything derived anew, or putting the same events in the place of blocks, changes nothing',
    async () => {
      await fc.assert(
        fc.asyncProperty(
          histories,
          fc.constantFrom(1, 4, 1_000),
          fc.nat(),
          fc.nat(),
          async (history, rankThreshold, a, b) => {
            await withLife(create, { rankThreshold }, history, async (store, chains) => {
              const before = await exportAndClose(store.openReader())
              const repair = store.openRepair()
              await repair.rebuild()
              expect(await exportAndClose(store.openReader())).toEqual(before)
              for (const [chainId, blocks] of chains) {
                if (blocks.length === 0) continue
                const [fromBlock, toBlock] = rangeOf(blocks, a, b)
                const events = eventsOf(blocks, fromBlock, toBlock)
                await repair.replaceBlocks(chainId, [{ fromBlock, toBlock, events }], 1)
              }
              expect(await exportAndClose(store.openReader())).toEqual(before)
              expect(await contradictionsOf(store)).toEqual([])
              expect(await store.findMiscounts()).toEqual([])
            })
          },
        ),
        { numRuns: historyRuns(30, share) },
      )
    },
  )

  slowTest('what was lost or made up in some blocks is gone once they are replaced', async () => {
    await fc.assert(
      fc.asyncProperty(histories, fc.nat(), fc.nat(), async (history, a, b) => {
        await withLife(create, { rankThreshold: 3 }, history, async (store, chains) => {
          const before = await exportAndClose(store.openReader())
          const repair = store.openRepair()
          for (const [chainId, blocks] of chains) {
            if (blocks.length === 0) continue
            const [fromBlock, toBlock] = rangeOf(blocks, a, b)
            await repair.replaceBlocks(chainId, [{ fromBlock, toBlock, events: [] }], 1)
            expect(await contradictionsOf(store)).toEqual([])
            expect(await store.findMiscounts()).toEqual([])
            // Revocations of what was lost stand in other blocks, and belong to it again.
            const events = eventsOf(blocks, fromBlock, toBlock)
            await repair.replaceBlocks(chainId, [{ fromBlock, toBlock, events }], 1)
          }
          expect(await exportAndClose(store.openReader())).toEqual(before)
        })
      }),
      { numRuns: historyRuns(20, share) },
    )
  })

  slowTest('a rewound chain is the one that never went further', async () => {
    await fc.assert(
      fc.asyncProperty(histories, fc.nat(), async (history, a) => {
        await withLife(create, { rankThreshold: 3 }, history, async (store, chains) => {
          for (const [chainId, blocks] of chains) {
            if (blocks.length === 0) continue
            const toBlock = (a % (blocks.length + 1)) - 1
            const repair = store.openRepair()
            await repair.rewind(chainId, toBlock)
            const rewound = await exportAndClose(store.openReader())
            expect(await contradictionsOf(store)).toEqual([])
            expect(await store.findMiscounts()).toEqual([])
            const writer = store.openWriter()
            await writer.revertBlocks(chainId, toBlock, unixMilliseconds(1))
            await writer.close()
            expect(await exportAndClose(store.openReader())).toEqual(rewound)
          }
        })
      }),
      { numRuns: historyRuns(20, share) },
    )
  })
}

type Chains = ReadonlyMap<ChainId, readonly GeneratedBlock[]>

async function withLife(
  create: CreateAuditedStore,
  options: TestStoreOptions,
  history: Parameters<typeof playHistory>[1],
  test: (store: AuditedStore, chains: Chains) => Promise<void>,
): Promise<void> {
  const store = await create(options)
  try {
    const writer = store.openWriter()
    const chains = await playHistory(writer, history)
    await writer.close()
    await test(store, chains)
  } finally {
    await store.remove()
  }
}

/** Everything in which a store contradicts itself. */
export async function contradictionsOf(store: AuditedStore): Promise<Difference[]> {
  const audit = store.openAudit()
  try {
    const found: Difference[] = []
    for await (const difference of audit.findContradictions()) found.push(difference)
    return found
  } finally {
    await audit.close()
  }
}

function rangeOf(
  blocks: readonly GeneratedBlock[],
  a: number,
  b: number,
): [fromBlock: number, toBlock: number] {
  const count = Math.max(1, blocks.length)
  const [x, y] = [a % count, b % count]
  return [Math.min(x, y), Math.max(x, y)]
}

export function eventsOf(blocks: readonly GeneratedBlock[], fromBlock: number, toBlock: number) {
  return blocks
    .filter(({ number }) => number >= fromBlock && number <= toBlock)
    .flatMap(({ events }) => events)
}

/**
 * The part of an event that a store must give back: without the reason why something could not be read, and without the
 * revocation that a read found.
 */
function describeEvent(event: GeneratedBlock['events'][number]): string {
  const plain =
    event.kind === 'attestationMade'
      ? {
          ...event,
          attestation: {
            ...event.attestation,
            revocationAtRead: null,
            recipients: event.attestation.recipients.map((each) =>
              each.kind === 'address' ? each.address : each.kind === 'text' ? each.text : each.bytes,
            ),
          },
        }
      : // A revocation has the protocol of its record.
        { ...event, ...(event.kind === 'attestationRevoked' ? { protocol: null } : {}) }
  return JSON.stringify(plain, (key, value: unknown) => (typeof value === 'bigint' ? String(value) : value))
}
