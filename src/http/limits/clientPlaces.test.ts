import { expect, test } from 'vitest'
import { createClientPlaces } from './clientPlaces.ts'

test('work of a client waits for its own work alone, in its order', async () => {
  const places = createClientPlaces(2)
  const log: string[] = []
  const [first, second] = [await places.enter('a'), await places.enter('a')]
  const enter = async (client: string, name: string) => {
    const leave = await places.enter(client)
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
  // All places are free again.
  for (const name of ['fifth', 'sixth']) await enter('a', name)
  expect(log.slice(3)).toEqual(['fifth', 'sixth'])
})
