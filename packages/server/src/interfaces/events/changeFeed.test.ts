import { setTimeout as delay } from 'node:timers/promises'
import fc from 'fast-check'
import { describe, expect, test, vi } from 'vitest'
import { localIdOfCounter } from '@attestry/core/model/compositeId.ts'
import { createJournalTail } from '@attestry/core/changes/journalTail.ts'
import { createTestJournal, type TestJournal } from '../../pipeline/testing/createTestJournal.ts'
import { everyChange } from '../../pipeline/testing/everyChange.ts'
import { sampleAddress, sampleAttestation } from '../../pipeline/testing/sampleRecords.ts'
import { createChangeFeed, type ChangeFeed } from './changeFeed.ts'
import { formatHeartbeat, parsePlace } from './formatEvent.ts'

describe('a feed', () => {
  test('sends each reader each change once, in order, however readers come, go and stall', async () => {
    const step = fc.oneof(
      fc.record({ kind: fc.constant('change' as const), count: fc.integer({ min: 1, max: 250 }) }),
      fc.record({ kind: fc.constant('connect' as const), reader: fc.nat(3) }),
      fc.record({ kind: fc.constant('disconnect' as const), reader: fc.nat(3) }),
      fc.record({ kind: fc.constant('stall' as const), reader: fc.nat(3) }),
      fc.record({ kind: fc.constant('turns' as const), count: fc.nat(6) }),
    )
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 30 }), async (steps) => {
        const journal = createTestJournal()
        const feed = openFeed(journal)
        const readers = await Promise.all([0, 1, 2, 3].map((index) => createReader(journal, feed, index)))
        let made = 0
        for (const each of steps) {
          if (each.kind === 'change') {
            await journal.make(...Array.from({ length: each.count }, () => attestationOf(made++)))
          } else if (each.kind === 'turns') await takeTurns(each.count)
          else readers[each.reader]?.[each.kind]()
        }
        for (const reader of readers) reader.connect()
        await vi.waitUntil(
          () => readers.every((reader) => reader.told().length >= reader.wanted(made).length),
          {
            timeout: 60_000,
            interval: 1,
          },
        )
        feed.close()
        await journal.close()
        for (const reader of readers) expect(reader.told()).toEqual(reader.wanted(made))
      }),
      { numRuns: 40, verbose: 1 },
    )
  })

  test('does not read the index without listeners, nor while it does not change', async () => {
    const journal = createTestJournal()
    const feed = openFeed(journal)
    const leave = feed.subscribe(createSilentSubscriber(), await journal.newestChange())
    await journal.make(attestationOf(1))
    await vi.waitUntil(() => journal.readCount > 1, { timeout: 60_000 })
    let before = 0
    const standsStill = async () => {
      before = journal.readCount
      await delay(30)
      return journal.readCount === before
    }
    await expect.poll(standsStill).toBe(true)
    leave()
    await journal.make(attestationOf(2))
    await delay(30)
    expect(journal.readCount).toBe(before)
    feed.close()
    await journal.close()
  })

  test('continues after the index can be read again', async () => {
    const journal = createTestJournal()
    const failures: unknown[] = []
    let isDown = true
    const feed = createChangeFeed({
      ...feedOptions(journal, 10_000, (error) => {
        failures.push(error)
        isDown = false
      }),
      journal: {
        ...journal,
        listChanges: (...parameters) =>
          isDown ? Promise.reject(new Error('down')) : journal.listChanges(...parameters),
      },
    })
    const written: string[] = []
    const subscriber = { ...createSilentSubscriber(), write: (text: string) => void written.push(text) }
    feed.subscribe(subscriber, await journal.newestChange())
    await journal.make(attestationOf(1))
    await vi.waitUntil(() => written.join('').includes('event: attestation'), { timeout: 60_000 })
    expect(failures).toHaveLength(1)
    feed.close()
    await journal.close()
  })

  test('keeps a reader that waits for the index, with heartbeats at its place', async () => {
    const journal = createTestJournal()
    const reads = Promise.withResolvers<never>()
    const feed = createChangeFeed({
      ...feedOptions(journal, 1),
      journal: { ...journal, listChanges: () => reads.promise },
    })
    let beats = 0
    let dropped = 0
    const place = await journal.newestChange()
    feed.subscribe(
      {
        ...createSilentSubscriber(),
        write: (text) => (beats += text === formatHeartbeat(place) ? 1 : 0),
        drop: () => dropped++,
      },
      place,
    )
    await vi.waitUntil(() => beats + dropped > 9, { timeout: 60_000 })
    expect([dropped, feed.size]).toEqual([0, 1])
    feed.close()
    reads.reject(new Error('closed'))
    await journal.close()
  })

  test('drops a live reader that takes nothing, and one that stands still while it catches up', async () => {
    const journal = createTestJournal()
    const feed = openFeed(journal, 20)
    const start = await journal.newestChange()
    await journal.make(attestationOf(1))
    let pending = 0
    const dropped: string[] = []
    feed.subscribe(
      { ...createSilentSubscriber(), pendingBytes: () => pending, drop: () => void dropped.push('live') },
      await journal.newestChange(),
    )
    feed.subscribe(
      { ...createSilentSubscriber(), pendingBytes: () => 50_000, drop: () => void dropped.push('behind') },
      start,
    )
    await vi.waitUntil(() => dropped.includes('behind'), { timeout: 60_000 })
    expect(dropped).toEqual(['behind'])
    pending = 300_000
    await journal.make(attestationOf(2))
    await vi.waitUntil(() => dropped.includes('live'), { timeout: 60_000 })
    expect(feed.size).toBe(0)
    feed.close()
    await journal.close()
  })
})

function feedOptions(
  journal: TestJournal,
  heartbeatMs = 10_000,
  onFailure: (error: unknown) => void = (error) => {
    throw error
  },
) {
  return {
    journal,
    decodePayload: () => ({ kind: 'undecodable', reason: 'nothing is asked of payloads' }) as const,
    tail: createJournalTail({ journal, version: () => journal.indexVersion(), onFailure }),
    pollIntervalMs: 1,
    heartbeatMs,
    pendingBytesMax: 256 * 1024,
  }
}

function openFeed(journal: TestJournal, heartbeatMs?: number): ChangeFeed {
  return createChangeFeed(feedOptions(journal, heartbeatMs))
}

function createSilentSubscriber() {
  return {
    filter: everyChange,
    pendingBytes: () => 0,
    write: () => undefined,
    end: () => undefined,
    drop: () => undefined,
  }
}

/** Reader 0 reads all events, the others the events of one attester. A stalled reader reads nothing for a while. */
async function createReader(journal: TestJournal, feed: ChangeFeed, index: number) {
  let place = await journal.newestChange()
  let pending = 0
  let leave: (() => void) | null = null
  const told: string[] = []
  const filter = index === 0 ? everyChange : { ...everyChange, attester: sampleAddress(index) }
  return {
    connect: () => {
      pending = 0
      leave ??= feed.subscribe(
        {
          ...createSilentSubscriber(),
          filter,
          pendingBytes: () => pending,
          write: (text) => {
            for (const [, id = '', name] of text.matchAll(
              /id: (.*)\n(?:data: .*"attestationId":"(.*?)".*\n)?/g,
            )) {
              place = parsePlace(id) ?? place
              if (name !== undefined) told.push(name)
            }
          },
        },
        place,
      )
    },
    disconnect: () => {
      leave?.()
      leave = null
    },
    stall: () => {
      // Fewer bytes than the limit at which a live reader is dropped.
      pending = 100_000
    },
    told: () => told,
    wanted: (made: number) =>
      Array.from({ length: made }, (_, number) => number)
        .filter((number) => index === 0 || number % 4 === index)
        .map((number) => `0x${number.toString(16)}`),
  }
}

function attestationOf(number: number) {
  const key = { chainId: 1, localId: localIdOfCounter(BigInt(number)) }
  return sampleAttestation(number, { key, attester: sampleAddress(number % 4) })
}

async function takeTurns(count: number): Promise<void> {
  for (let i = 0; i < count; i++) await new Promise((resolve) => setImmediate(resolve))
}
