import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { unixMilliseconds } from '@attestry/core/model/time.ts'
import type { IndexReader } from '@attestry/core/index/indexReader.ts'
import type { CreateTestStore } from '@attestry/store/testing/storeFactory.ts'
import { everyAgent, type AgentFilter } from '../agentQueries.ts'
import { fillEmptyAgents, squatter } from './emptyAgents.ts'

export function testAgentPages(create: CreateTestStore): void {
  test('each page of a long list has the agents of its place, also after a revert', async () => {
    const store = await create({ rankThreshold: 3 })
    const [writer, reader] = [store.openWriter(), store.openReader()]
    // Some weeks, whose ends lie within pages.
    await fillEmptyAgents(writer, 600, { perBlock: 20, secondsPerBlock: 140_000 })
    await fillEmptyAgents(writer, 130, { chainId: 137, perBlock: 10, secondsPerBlock: 210_000 })
    await expectPages(reader, {}, 730)
    await expectPages(reader, { chainId: 137 }, 130)
    // The first agent of each chain has another owner.
    await expectPages(reader, { owner: squatter }, 728)
    await writer.revertBlocks(5, 17, unixMilliseconds(1))
    // Reads of one turn see one state.
    await nextTurn()
    await expectPages(reader, {}, 470)
    await expectPages(reader, { chainId: 5 }, 340)
    for (const each of [reader, writer]) await each.close()
    await store.remove()
  })
}

async function expectPages(
  reader: IndexReader,
  narrowed: Partial<AgentFilter>,
  count: number,
): Promise<void> {
  const filter = { ...everyAgent, ...narrowed }
  const { rows } = await reader.sliceAgents({ filter, order: 'newestFirst', after: null, limit: 1_000 })
  const keys = rows.map(({ key }) => key)
  expect(keys).toHaveLength(count)
  const size = 10
  for (let page = 1; page <= Math.ceil(count / size); page++) {
    const found = await reader.listAgents(filter, { page, size })
    expect(found.total).toBe(count)
    expect(found.rows.map(({ key }) => key)).toEqual(keys.slice((page - 1) * size, page * size))
  }
}
