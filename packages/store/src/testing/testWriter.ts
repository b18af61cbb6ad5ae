import { expect, test } from 'vitest'
import { StoreInvariantError } from '@attestry/core/errors/storeErrors.ts'
import { explorerLinks } from '@attestry/core/model/explorerLinks.ts'
import { positionBlock } from '@attestry/core/model/position.ts'
import { unixMilliseconds, unixSeconds } from '@attestry/core/model/time.ts'
import {
  addresses,
  blockTimestamp,
  generateBlocks,
  type GeneratedBlock,
  type Step,
} from './generatedChain.ts'
import { batchOf, exportOf, identityOf, withStore, type CreateTestStore } from './storeFactory.ts'

const options = { rankThreshold: 4 }

export function testWriter(create: CreateTestStore): void {
  test('a chain that is new has no checkpoint, and one that is known goes on from it', async () => {
    await withStore(create, options, async (writer) => {
      expect(await writer.openChain(identityOf(5))).toEqual({
        checkpoint: null,
        recentBlocks: [],
        rewindTo: null,
        history: [],
      })
      const blocks = generateBlocks(5, [], life(5), 'a')
      await writer.applyBlocks(5, { ...batchOf(blocks), forgetBlocksBelow: 3 })
      const opened = await writer.openChain(identityOf(5))
      expect(opened.checkpoint).toEqual({ blockNumber: 5, timestamp: blockTimestamp(5) })
      expect(opened.recentBlocks.map((block) => block.number)).toEqual([3, 4, 5])
      expect(opened.recentBlocks[0]).toEqual(refOf(blocks[3]))
      expect(opened.rewindTo).toBeNull()
    })
  })

  test('remembered blocks keep the seals of their logs, also in an export, until they are forgotten', async () => {
    await withStore(create, options, async (writer, reader) => {
      await writer.openChain(identityOf(5))
      const batch = batchOf(generateBlocks(5, [], life(5), 'a'))
      const seal = ({ number }: { readonly number: number }) =>
        number < 4 ? {} : { logsSeal: `1-${number}` }
      const recentBlocks = batch.recentBlocks.map((block) => ({ ...block, ...seal(block) }))
      await writer.applyBlocks(5, { ...batch, recentBlocks })
      expect((await writer.openChain(identityOf(5))).recentBlocks).toEqual(recentBlocks)
      const lines = (await exportOf(reader, true)).filter((line) => line.startsWith('{"type":"block"'))
      expect(lines.map((line) => (JSON.parse(line) as { readonly logsSeal?: string }).logsSeal)).toEqual(
        recentBlocks.map(({ logsSeal }: { readonly logsSeal?: string }) => logsSeal),
      )
      await writer.forgetBlocks(5, 4)
      const opened = await writer.openChain(identityOf(5))
      expect(opened.recentBlocks.map(({ number }) => number)).toEqual([4, 5])
      expect(opened.checkpoint?.blockNumber).toBe(5)
    })
  })

  test('a survey of the history tells the positions of events, and how many numbered records there are', async () => {
    await withStore(create, options, async (writer) => {
      await writer.openChain(identityOf(5))
      const blocks = generateBlocks(5, [], life(30), 'a')
      await writer.applyBlocks(5, batchOf(blocks))
      const events = batchOf(blocks).events
      const expected = [...new Set(events.map(({ position }) => position))]
      const between = expected.filter(
        (position) => positionBlock(position) >= 3 && positionBlock(position) <= 20,
      )
      expect(await writer.readEventPositions(5, 3, 20)).toEqual(between)
      expect(await writer.readEventPositions(6, 0, 100)).toEqual([])
      await writer.markDefect(5, { fromBlock: 6, toBlock: 7, text: 'a record is missing' })
      const records = await writer.countRecords(5)
      expect(records.defect?.text).toBe('a record is missing')
      const made = events.flatMap((event) => (event.kind === 'attestationMade' ? [event.attestation] : []))
      for (const { protocol, attestation } of records.protocols) {
        const own = made.filter((each) => each.protocol === protocol)
        expect(attestation).toEqual({ count: own.length, first: own[0]?.key.localId ?? null })
      }
      expect(records.protocols.length).toBeGreaterThan(0)
      const registered = new Set(
        events.flatMap((event) =>
          event.kind === 'schemaRegistered' ? [`${event.schema.protocol} ${event.schema.key.localId}`] : [],
        ),
      )
      const referred = made.map(({ protocol, schemaLocalId }) => `${protocol} ${schemaLocalId}`)
      const missing = new Set(referred.filter((schema) => !registered.has(schema)))
      const named = records.unknown.reduce((sum, { schemas }) => sum + schemas, 0)
      expect(named).toBe(missing.size)
      expect(named).toBeGreaterThan(0)
    })
  })

  test('what is missing stays known until it is said to be mended, or its blocks are reverted', async () => {
    await withStore(create, options, async (writer, reader) => {
      await writer.openChain(identityOf(5))
      await writer.applyBlocks(5, batchOf(generateBlocks(5, [], life(9), 'a')))
      const known = async () => {
        await nextTurn()
        const chain = (await reader.listChains())[0]
        return { defect: chain?.defect, lastError: chain?.status.lastError }
      }
      expect(await known()).toEqual({ defect: null, lastError: null })
      await writer.markDefect(5, { fromBlock: 6, toBlock: 7, text: 'a record is missing' })
      await writer.markDefect(5, { fromBlock: 5, toBlock: 5, text: 'another one is' })
      const joined = { fromBlock: 5, toBlock: 7, text: 'another one is' }
      expect(await known()).toEqual({ defect: joined, lastError: 'another one is' })
      await writer.revertBlocks(5, 5, unixMilliseconds(1))
      expect((await known()).defect).toEqual(joined)
      await writer.revertBlocks(5, 4, unixMilliseconds(1))
      expect(await known()).toEqual({ defect: null, lastError: null })
      await writer.markDefect(5, { fromBlock: null, toBlock: null, text: 'a counter differs' })
      expect((await known()).lastError).toBe('a counter differs')
      const at = unixSeconds(1_770_000_000)
      const verified = { at, upToBlock: 3, blocks: 2, events: 1, differences: 1, isComplete: true }
      await writer.noteVerification(5, verified)
      expect((await known()).lastError).toBe('a counter differs')
      await writer.markDefect(5, null)
      expect(await known()).toEqual({ defect: null, lastError: null })
      expect((await reader.listChains())[0]?.verification).toEqual(verified)
    })
  })

  test('what two processes find at the same time is kept, also while one looks into what was known', async () => {
    const store = await create(options)
    const [writer, other, reader] = [store.openWriter(), store.openWriter(), store.openReader()]
    const found = async () => {
      await nextTurn()
      const [chain] = await reader.listChains()
      return { defect: chain?.defect, verification: chain?.verification }
    }
    const at = unixSeconds(1_770_000_000)
    const verification = { at, upToBlock: 3, blocks: 2, events: 1, differences: 1, isComplete: true }
    const [early, late] = [6, 8].map((block) => ({ fromBlock: block, toBlock: block, text: 'missing' }))
    if (early === undefined || late === undefined) throw new Error('there are two')
    try {
      await writer.openChain(identityOf(5))
      await Promise.all([
        writer.markDefect(5, early),
        other.noteVerification(5, verification),
        writer.markDefect(5, late),
      ])
      const joined = { fromBlock: 6, toBlock: 8, text: 'missing' }
      expect(await found()).toEqual({ defect: joined, verification })
      // Only the early defect was known to the one that found it mended.
      await other.markDefect(5, null, early)
      expect(await found()).toEqual({ defect: joined, verification })
      await other.markDefect(5, late, joined)
      expect(await found()).toEqual({ defect: late, verification })
      await other.markDefect(5, null, late)
      expect(await found()).toEqual({ defect: null, verification })
    } finally {
      await reader.close()
      // A store may have only one writer.
      for (const each of new Set([writer, other])) await each.close()
      await store.remove()
    }
  })

  test('a batch that does not follow the checkpoint, or whose events are out of place, changes nothing', async () => {
    await withStore(create, options, async (writer, reader) => {
      await writer.openChain(identityOf(5))
      const blocks = generateBlocks(5, [], life(9), 'a')
      await writer.applyBlocks(5, batchOf(blocks.slice(0, 4)))
      const before = await exportOf(reader, true)
      const next = batchOf(blocks.slice(4))
      const [first, second] = next.events
      if (first === undefined || second === undefined) throw new Error('the batch has events')
      const wrong = [
        { ...next, fromBlock: 5 },
        { ...next, fromBlock: 3 },
        { ...next, checkpoint: { blockNumber: 3, timestamp: null } },
        { ...next, checkpoint: { blockNumber: 4, timestamp: null } },
        { ...next, events: [second, first] },
        { ...next, events: [first, first] },
        { ...next, events: batchOf(blocks.slice(0, 2)).events },
        // An id that is taken by another record: at its own position, in the right order.
        { ...next, events: [{ ...first, ...takenRecord(first, blocks) }] },
      ]
      for (const batch of wrong) {
        await expect(writer.applyBlocks(5, batch)).rejects.toBeInstanceOf(StoreInvariantError)
      }
      await expect(writer.applyBlocks(6, next)).rejects.toBeInstanceOf(StoreInvariantError)
      expect(await exportOf(reader, true)).toEqual(before)
      await writer.applyBlocks(5, next)
      expect((await reader.listChains())[0]?.attestationCount).toBe(9)
    })
  })

  test('where batches of which more follows fail, the chain goes on from where the store says it stands', async () => {
    await withStore(create, options, async (writer, reader) => {
      await writer.openChain(identityOf(5))
      const blocks = generateBlocks(5, [], life(9), 'a')
      const announced = (from: number, to: number) => ({
        ...batchOf(blocks.slice(from, to)),
        moreFollows: true,
      })
      await writer.applyBlocks(5, announced(0, 3))
      await writer.applyBlocks(5, announced(3, 5))
      await expect(writer.applyBlocks(5, announced(6, 7))).rejects.toBeInstanceOf(StoreInvariantError)
      const { checkpoint } = await writer.openChain(identityOf(5))
      const next = (checkpoint?.blockNumber ?? -1) + 1
      expect([3, 5]).toContain(next)
      await writer.applyBlocks(5, announced(next, 8))
      await writer.applyBlocks(5, batchOf(blocks.slice(8)))
      const grouped = await exportOf(reader, true)
      await writer.revertBlocks(5, -1, unixMilliseconds(1))
      await writer.applyBlocks(5, batchOf(blocks))
      await nextTurn()
      expect(grouped).toEqual(await exportOf(reader, true))
    })
  })

  test('batches that are handed over without waiting are applied in their order, and none behind one that failed', async () => {
    await withStore(create, options, async (writer, reader) => {
      await writer.openChain(identityOf(5))
      const blocks = generateBlocks(5, [], life(9), 'a')
      const parts = [0, 3, 6].map((start) => batchOf(blocks.slice(start, start + 3)))
      const [first, second, third] = parts
      if (first === undefined || second === undefined || third === undefined) throw new Error('three parts')
      await Promise.all(parts.map((part) => writer.applyBlocks(5, part)))
      expect((await writer.openChain(identityOf(5))).checkpoint?.blockNumber).toBe(8)
      expect((await reader.listChains())[0]?.attestationCount).toBe(8)

      await writer.revertBlocks(5, 2, unixMilliseconds(1))
      const broken = { ...second, events: [...second.events, ...first.events] }
      const outcomes = await Promise.allSettled([broken, third].map((part) => writer.applyBlocks(5, part)))
      for (const outcome of outcomes) {
        expect(outcome).toMatchObject({ status: 'rejected', reason: expect.any(StoreInvariantError) })
      }
      expect((await writer.openChain(identityOf(5))).checkpoint?.blockNumber).toBe(2)
    })
  })

  test('the contracts of a chain are remembered as it was last opened', async () => {
    await withStore(create, options, async (writer) => {
      const identity = identityOf(5)
      expect(await writer.listContracts(5)).toEqual([])
      await writer.openChain(identity)
      expect(await writer.listContracts(5)).toEqual(identity.contracts)
      const contracts = identity.contracts.map((contract) => ({ ...contract, startBlock: 77 }))
      await writer.openChain({ ...identity, contracts })
      expect(await writer.listContracts(5)).toEqual(contracts)
    })
  })

  test('a change of contracts asks for a rewind until it has happened', async () => {
    await withStore(create, options, async (writer, reader) => {
      const [address, other] = addresses
      if (address === undefined || other === undefined) throw new Error('there are addresses')
      const identity = identityOf(5)
      const contract = { protocol: 'eas', address: other, schemaRegistry: address, startBlock: 3 }
      const both = { ...identity, contracts: [...identity.contracts, contract] }
      await writer.openChain(identity)
      const blocks = generateBlocks(5, [], life(9), 'a')
      await writer.applyBlocks(5, batchOf(blocks.slice(0, 9)))
      expect((await writer.openChain(both)).rewindTo).toBe(2)
      expect((await writer.openChain(both)).rewindTo).toBe(2)
      await nextTurn()
      expect(await reader.listChains()).toMatchObject([{ rewindTo: 2 }])
      await expect(writer.applyBlocks(5, batchOf(blocks.slice(9)))).rejects.toBeInstanceOf(
        StoreInvariantError,
      )
      await writer.revertBlocks(5, 2, unixMilliseconds(1))
      expect((await writer.openChain(both)).rewindTo).toBeNull()
      await writer.applyBlocks(5, batchOf(blocks.slice(3)))
      const late = { ...contract, startBlock: 100 }
      expect(
        (await writer.openChain({ ...both, contracts: [...both.contracts, { ...late, address }] })).rewindTo,
      ).toBeNull()
      expect((await writer.openChain({ ...both, contracts: [] })).rewindTo).toBe(-1)
    })
  })

  test('the version moves when an answer may have changed, and only then', async () => {
    await withStore(create, options, async (writer, reader) => {
      await writer.openChain(identityOf(5))
      const start = await reader.indexVersion()
      await nextTurn()
      const blocks = generateBlocks(5, [], life(3), 'a')
      await writer.applyBlocks(5, batchOf(blocks))
      await nextTurn()
      const filled = await reader.indexVersion()
      expect(filled).toBeGreaterThan(start)
      const empty = generateBlocks(5, blocks, [], 'a')
      await writer.applyBlocks(5, batchOf(empty))
      await nextTurn()
      expect(await reader.indexVersion()).toBe(filled)
      await writer.revertBlocks(5, 1, unixMilliseconds(1))
      await nextTurn()
      expect(await reader.indexVersion()).toBeGreaterThan(filled)
    })
  })

  test('the status of a chain is what was saved last, and the indexed block is that of the checkpoint', async () => {
    await withStore(create, options, async (writer, reader) => {
      expect(await reader.listChains()).toEqual([])
      await nextTurn()
      await writer.openChain(identityOf(5))
      expect((await reader.listChains())[0]?.status).toMatchObject({
        chainId: 5,
        name: 'Chain 5',
        phase: 'paused',
      })
      await nextTurn()
      await writer.applyBlocks(5, batchOf(generateBlocks(5, [], life(3), 'a')))
      const status = {
        chainId: 5,
        name: 'Five',
        explorer: explorerLinks('https://five.example'),
        protocols: ['sign'],
        phase: 'following' as const,
        headBlock: 9,
        headTimestamp: unixSeconds(99),
        headSource: 'polling' as const,
        indexedBlock: 2,
        indexedTimestamp: unixSeconds(98),
        fromChunks: null,
        reachedHead: true,
        eventsPerSecond: 1.5,
        blocksMended: 0,
        history: [],
        lastError: null,
        updatedAt: unixMilliseconds(7),
      }
      await writer.saveChainStatus(status)
      await nextTurn()
      expect((await reader.listChains())[0]?.status).toEqual({
        ...status,
        indexedBlock: 3,
        indexedTimestamp: blockTimestamp(3),
      })

      await writer.saveChainStatus({ ...status, headBlock: 1 })
      await nextTurn()
      expect((await reader.listChains())[0]?.status).toMatchObject({
        headBlock: 3,
        headTimestamp: blockTimestamp(3),
        headSource: 'polling' as const,
      })
    })
  })
}

/** Attestations, one a block, from block 1 on. */
function life(length: number): Step[] {
  return Array.from({ length }, (_, index) => ({
    kind: 19,
    gap: 1,
    who: index % 4,
    whom: 1,
    what: index,
    text: 3,
  }))
}

/** The record of the first attestation of the chain, moved to the position of `event`. */
function takenRecord(event: GeneratedBlock['events'][number], blocks: readonly GeneratedBlock[]) {
  const taken = blocks.flatMap((block) => block.events).find((each) => each.kind === 'attestationMade')
  if (taken === undefined || event.kind !== 'attestationMade') throw new Error('the chain has attestations')
  return { attestation: { ...taken.attestation, position: event.position } }
}

function refOf(block: GeneratedBlock | undefined) {
  if (block === undefined) throw new Error('there is such a block')
  const { number, hash, parentHash, timestamp } = block
  return { number, hash, parentHash, timestamp }
}

/** A reader sees what was written before the turn in which it is asked. */
function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}
