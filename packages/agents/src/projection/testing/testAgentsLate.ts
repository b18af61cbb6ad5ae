import { setImmediate as nextTurn } from 'node:timers/promises'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { unixMilliseconds } from '@attestry/core/model/time.ts'
import type { IndexReader } from '@attestry/core/index/indexReader.ts'
import type { IndexWriter } from '@attestry/core/index/indexWriter.ts'
import { batchOf, fillStore, identityOf } from '@attestry/store/testing/storeFactory.ts'
import { everyAgent } from '../agentQueries.ts'
import { fillEmptyAgents } from './emptyAgents.ts'
import { agentSteps, generateAgentBlocks } from './generatedAgents.ts'
import { contentOf } from './testAgents.ts'

/** A store whose index begins without agents. */
export type CreateBareStore = () => Promise<{
  openBareWriter(): IndexWriter
  /** Drops the tables that earlier versions lack. */
  dropTables(): Promise<unknown>
  /** Drops an index that earlier versions lack. */
  dropIndex(): Promise<unknown>
  /** Migrates the database as a program with agents does. */
  join(): Promise<void>
  openWriter(): IndexWriter
  openReader(): IndexReader
  remove(): Promise<void>
}>

export function testAgentsLate(create: CreateBareStore): void {
  test.each([
    ['all blocks', 0],
    ['the last blocks', 20],
  ])(
    'a program with agents reads a chain again of which one without them has indexed %s',
    async (_, from) => {
      const life = fc.sample(agentSteps(60), { numRuns: 3, seed: 3 }).flat()
      const blocks = generateAgentBlocks(5, [], life, 'a')
      const store = await create()
      if (from > 0) {
        await store.join()
        const before = store.openWriter()
        await fillStore(before, new Map([[5, blocks.slice(0, from)]]))
        await before.close()
      }
      const bare = store.openBareWriter()
      await bare.openChain(identityOf(5))
      await bare.applyBlocks(5, batchOf(blocks.slice(from)))
      await bare.close()
      await store.join()
      const [writer, reader] = [store.openWriter(), store.openReader()]
      // Answers say so until then.
      expect(await reader.listChains()).toMatchObject([{ rewindTo: -1 }])
      expect((await writer.openChain(identityOf(5))).rewindTo).toBe(-1)
      await writer.revertBlocks(5, -1, unixMilliseconds(1))
      await writer.applyBlocks(5, batchOf(blocks))
      // Reads of one turn see one state.
      await nextTurn()
      expect(await reader.listChains()).toMatchObject([{ rewindTo: null }])
      const fresh = await create()
      await fresh.join()
      const [other, expected] = [fresh.openWriter(), fresh.openReader()]
      await fillStore(other, new Map([[5, blocks]]))
      expect(await contentOf(reader)).toEqual(await contentOf(expected))
      for (const each of [reader, expected, writer, other]) await each.close()
      await store.remove()
      await fresh.remove()
    },
  )

  test('agents that an earlier version has indexed are searched and ordered, and no chain is read again', async () => {
    const store = await create()
    await store.join()
    const writer = store.openWriter()
    const life = fc.sample(agentSteps(60), { numRuns: 3, seed: 3 }).flat()
    await fillStore(writer, new Map([[5, generateAgentBlocks(5, [], life, 'a')]]))
    await fillEmptyAgents(writer, 120, { chainId: 137, perBlock: 1, secondsPerBlock: 63_000 })
    await writer.close()
    const search = async () => {
      const reader = store.openReader()
      try {
        const page = { page: 1, size: 200 } as const
        const { total, rows } = await reader.listAgents({ ...everyAgent, folded: 'ada' }, page)
        const rated = await reader.listAgents({ ...everyAgent, order: 'feedback' }, page)
        // So far down that the weeks of agents are read.
        const far = await reader.listAgents(everyAgent, { page: 2, size: 33 })
        const chains = await reader.listChains()
        return {
          total,
          ids: rows.map(({ key }) => key.subject),
          counts: rated.rows.map(({ feedbackCount }) => feedbackCount),
          far: far.rows.map(({ key }) => key),
          rewinds: chains.map(({ rewindTo }) => rewindTo),
        }
      } finally {
        await reader.close()
      }
    }
    const before = await search()
    expect(before).toMatchObject({ total: before.ids.length, rewinds: [null, null] })
    expect(before.total).toBeGreaterThan(0)
    expect(before.counts).toEqual(before.counts.toSorted((a, b) => b - a))
    expect(new Set(before.counts).size).toBeGreaterThan(1)
    expect(before.far).toHaveLength(33)
    await store.dropTables()
    await store.join()
    expect(await search()).toEqual(before)
    await store.dropIndex()
    await expect(search()).rejects.toThrow('start the indexer once to add them')
    await store.join()
    expect(await search()).toEqual(before)
    await store.remove()
  })

  test('a program with agents does not read a database before it has their tables', async () => {
    const store = await create()
    const refusal = 'was made without some capabilities of this program: start the indexer once to add them'
    const read = async () => {
      const early = store.openReader()
      try {
        return await early.listChains()
      } finally {
        await early.close()
      }
    }
    await expect(read()).rejects.toThrow(refusal)
    await store.join()
    const reader = store.openReader()
    expect(await reader.listChains()).toEqual([])
    await reader.close()
    await store.remove()
  })
}
