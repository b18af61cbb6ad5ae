import { expect, test } from 'vitest'
import { runEventReaders } from './runEventReaders.ts'

test('a hundred readers of one process each get every event, once and in order', async () => {
  const { told, openStreams } = await runEventReaders({
    form: 'events',
    quickReaders: 100,
    slowReaders: 0,
    events: 500,
    eventsPerSecond: 0,
  })
  expect(new Set(told)).toEqual(new Set(['500 in order']))
  expect(openStreams).toBe(100)
})
