import { expect, test } from 'vitest'
import { median } from '@attestry/bench/quantile.ts'
import { runEventReaders } from './runEventReaders.ts'

test.each([
  { form: 'events', eventsPerSecond: 100 },
  { form: 'subscriptions', eventsPerSecond: 2 },
] as const)(
  'a thousand readers of $form hold with flat memory, and those that take nothing are dropped',
  async ({ form, eventsPerSecond }) => {
    const seconds = Number(process.env['STREAM_SECONDS'] ?? 60)
    const events = seconds * eventsPerSecond
    const { told, openStreams, residentMib, beforeMib, afterMib } = await runEventReaders({
      form,
      quickReaders: 1_000,
      // A slow reader is dropped for what it does not take, which is little at few events a second.
      slowReaders: form === 'events' ? 20 : 0,
      events,
      eventsPerSecond,
    })
    const part = Math.floor(residentMib.length / 4)
    const early = median(residentMib.slice(part, part * 2))
    const late = median(residentMib.slice(-part))
    const most = Math.max(...residentMib)
    process.stdout.write(`${JSON.stringify({ form, events, beforeMib, early, late, most, afterMib })}\n`)
    expect(new Set(told)).toEqual(new Set([`${events} in order`]))
    expect(openStreams).toBe(1_000)
    expect(late).toBeLessThan(early + 32)
    expect(most).toBeLessThan(512)
  },
)
