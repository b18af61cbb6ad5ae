import { setTimeout } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { createServer } from '../../testing/createServer.ts'
import type { IndexReader } from '@attestry/core/index/indexReader.ts'
import { createSampleIndex } from '../testing/sampleIndex.ts'
import { openTestIndex } from '../testing/testIndex.ts'
import { createClientSlots } from './clientSlots.ts'

test('work of a client waits only for earlier work of the same client', async () => {
  const slots = createClientSlots(2)
  const log: string[] = []
  const [first, second] = [await slots.enter('a'), await slots.enter('a')]
  const enter = async (client: string, name: string) => {
    const leave = await slots.enter(client)
    log.push(name)
    return leave
  }
  const third = enter('a', 'third')
  const fourth = enter('a', 'fourth')
  await enter('b', 'other')
  expect(log).toEqual(['other'])
  second()
  const leaveThird = await third
  expect(log).toEqual(['other', 'third'])
  first()
  const leaveFourth = await fourth
  expect(log).toEqual(['other', 'third', 'fourth'])
  leaveThird()
  leaveFourth()
  // All slots are free again.
  for (const name of ['fifth', 'sixth']) await enter('a', name)
  expect(log.slice(3)).toEqual(['fifth', 'sixth'])
})

test('four queries of one client run at a time, and other clients do not wait for them', async () => {
  const reader = openTestIndex(createSampleIndex())
  const answered = Promise.withResolvers<void>()
  let reads = 0
  const app = createServer({
    reader: {
      ...reader,
      sharesThread: true,
      findSchemas: async (...given) => {
        reads += 1
        await answered.promise
        return await reader.findSchemas(...given)
      },
    } satisfies IndexReader,
  })
  const ask = (remoteAddress: string, id: number) =>
    app.inject({
      method: 'POST',
      url: '/graphql',
      remoteAddress,
      payload: { query: `{ schema(id: "onchain_evm_11155111_0x${id}") { id } }` },
    })
  const asked = Array.from({ length: 12 }, (_, index) => ask('192.0.2.1', index + 1))
  await expect.poll(() => reads).toBe(4)
  asked.push(ask('192.0.2.2', 20))
  await expect.poll(() => reads).toBe(5)
  await setTimeout(20)
  expect(reads).toBe(5)
  answered.resolve()
  const statuses = (await Promise.all(asked)).map(({ statusCode }) => statusCode)
  expect(statuses).toEqual(asked.map(() => 200))
  expect(reads).toBe(13)
  await app.close()
})
