import fc from 'fast-check'
import { expect, test } from 'vitest'
import { unixMilliseconds } from '@attestry/core/model/time.ts'
import type { IndexReader } from '@attestry/core/index/indexReader.ts'
import type { IndexWriter } from '@attestry/core/index/indexWriter.ts'
import { batchOf, fillStore, identityOf } from '@attestry/store/testing/storeFactory.ts'
import { agentSteps, generateAgentBlocks } from './generatedAgents.ts'
import { contentOf } from './testAgents.ts'

/** A store whose index begins without agents. */
export type CreateBareStore = () => Promise<{
  openBareWriter(): IndexWriter
  /** Migrates the database as a program with agents does. */
  join(): Promise<void>
  openWriter(): IndexWriter
  openReader(): IndexReader
  remove(): Promise<void>
}>

export function testAgentsLate(create: CreateBareStore): void {
  test('a program with agents indexes again what one without them has indexed', async () => {
    const life = fc.sample(agentSteps(60), { numRuns: 3, seed: 3 }).flat()
    const blocks = generateAgentBlocks(5, [], life, 'a')
    const store = await create()
    const bare = store.openBareWriter()
    await fillStore(bare, new Map([[5, blocks]]))
    await bare.close()
    await store.join()
    const writer = store.openWriter()
    expect((await writer.openChain(identityOf(5))).rewindTo).toBe(-1)
    await writer.revertBlocks(5, -1, unixMilliseconds(1))
    await writer.applyBlocks(5, batchOf(blocks))
    const reader = store.openReader()
    const late = await contentOf(reader)
    const fresh = await create()
    await fresh.join()
    const other = fresh.openWriter()
    await fillStore(other, new Map([[5, blocks]]))
    const expected = fresh.openReader()
    expect(late).toEqual(await contentOf(expected))
    for (const each of [reader, expected, writer, other]) await each.close()
    await store.remove()
    await fresh.remove()
  })
}
