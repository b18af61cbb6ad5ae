import { expect, test } from 'vitest'
import { unixMilliseconds } from '@attestry/core/model/time.ts'
import { batchOf, withStore, type CreateTestStore } from '@attestry/store/testing/storeFactory.ts'
import { expectDigests, fillInBatches } from '@attestry/store/testing/testDigest.ts'
import { generateAgentBlocks } from './generatedAgents.ts'

const options = { rankThreshold: 4 }

export function testAgentDigest(create: CreateTestStore): void {
  test('the digest of agents is that of their events, of which two share a position', async () => {
    await withStore(create, options, async (writer, reader) => {
      const blocks = generateAgentBlocks(5, [], lifeOfAgents, 'a')
      await fillInBatches(writer, blocks, [3])
      await expectDigests(reader, blocks)
      const registered = blocks.findIndex(({ events }) =>
        events.some(({ kind }) => kind === 'schemaRegistered'),
      )
      const { events = [] } = (await reader.findDigest(5, registered)) ?? {}
      expect(events.map(({ type, eventIndex }) => [type, eventIndex])).toEqual([
        ['schema', 0],
        ['metadata', 0],
      ])
      const kept = blocks.slice(0, registered)
      await writer.revertBlocks(5, registered - 1, unixMilliseconds(1))
      await expectDigests(reader, kept)
      const forked = generateAgentBlocks(5, kept, lifeOfAgents, 'fork')
      await writer.applyBlocks(5, batchOf(forked))
      await expectDigests(reader, [...kept, ...forked])
    })
  })
}

/** Feedback before its agent, a registration, and each other event of an agent. */
const lifeOfAgents = [8, 0, 1, 2, 3, 4, 8, 5, 6, 7, 11].map((kind) => ({
  kind,
  gap: 1,
  agent: 0,
  who: 1,
  what: 0,
}))
