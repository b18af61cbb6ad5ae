import { expect, test } from 'vitest'
import { median } from '../../bench/quantile.ts'
import { runEventReaders } from './runEventReaders.ts'

test('a thousand readers hold with flat memory, and those that take nothing are dropped', async () => {
  const seconds = Number(process.env['STREAM_SECONDS'] ?? 60)
  const events = seconds * 100
  const { told, openStreams, residentMib } = await runEventReaders({
    quickReaders: 1_000,
    slowReaders: 20,
    events,
    eventsPerSecond: 100,
  })
  const part = Math.floor(residentMib.length / 4)
  const early = median(residentMib.slice(part, part * 2))
  const late = median(residentMib.slice(-part))
  process.stdout.write(`${JSON.stringify({ events, early, late, most: Math.max(...residentMib) })}\n`)
  expect(new Set(told)).toEqual(new Set([`${events} in order`]))
  expect(openStreams).toBe(1_000)
  expect(late).toBeLessThan(early + 32)
  expect(Math.max(...residentMib)).toBeLessThan(512)
})
