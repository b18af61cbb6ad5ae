import { expect, test } from 'vitest'
import type { WorldFigures } from './benchWorld.ts'
import { formatWorld } from './formatWorld.ts'

const steady = (p99Ms: number) => ({
  requests: 1,
  failures: 0,
  p50Ms: 1,
  p99Ms,
  maxMs: p99Ms,
  cpuMicroseconds: 300,
})
const single = (ms: number, refusal: string | null = null) => ({ ms, cpuMs: ms, bytes: 2_000, refusal })
const request = (cpuMicroseconds: number) => ({ cpuMicroseconds, p50Ms: 1, p99Ms: 2 })
const command = (seconds: number) => ({ seconds, cpuSeconds: seconds, megabytes: 100 })

const figures: WorldFigures = {
  kind: 'sqlite',
  attestations: { small: 100_000, large: 1_700_000 },
  fill: {
    small: { events: 100, storeSeconds: 1, cpuSeconds: 0.01, bytes: 100_000 },
    large: { events: 1_000, storeSeconds: 20, cpuSeconds: 0.2, bytes: 1_200_000 },
  },
  requests: [{ name: 'one record', small: request(100), large: request(250) }],
  ends: [{ name: 'a chain', first: request(100), last: request(140) }],
  singles: [
    { name: 'groups', aimMs: 1_000, small: single(20), large: single(1_500) },
    { name: 'groups of all', aimMs: 1_000, small: single(20), large: single(2_500, 'Narrow it') },
  ],
  serverBytes: { small: 200e6, large: 300e6 },
  commands: [{ name: 'start to the first answer', small: command(1), large: command(2.5) }],
  writes: [
    {
      name: 'an event',
      small: { seconds: 1e-4, cpuSeconds: 1e-4 },
      large: { seconds: 1e-4, cpuSeconds: 2e-4 },
    },
  ],
  live: {
    small: { eventsPerSecond: 900, atRest: steady(2), beside: steady(4) },
    large: { eventsPerSecond: 800, atRest: steady(2), beside: steady(8) },
  },
}

function cellsOf(label: string): readonly string[] {
  const section = formatWorld({ stores: [figures], share: 0.1, command: 'bench', loads: [1, 2] })
  const row = section.split('\n').find((line) => line.startsWith(`| ${label} `))
  return (row ?? '')
    .split('|')
    .slice(2, -1)
    .map((cell) => cell.trim())
}

test('both indexes stand side by side, and the verdict is about the large one', () => {
  expect(cellsOf('one record')).toEqual(['100 µs', '250 µs', '2.50 **missed**', '1.0, 2.0 ms'])
  expect(cellsOf('a chain')).toEqual(['100 µs', '140 µs', '1.40'])
  expect(cellsOf('start to the first answer: time, memory')[1]).toBe('2.5 s, 100 MB **missed**')
  expect(cellsOf('1,700,000')[2]).toBe('4.00 **missed**')
})

test('a refusal meets the aim of a single request', () => {
  expect(cellsOf('groups')).toEqual(['20 ms', '1,500 ms **missed**', '1,500 ms', '≤ 1,000 ms', '2 kB'])
  expect(cellsOf('groups of all')).toEqual(['20 ms', '2,500 ms', '2,500 ms', '≤ 1,000 ms', 'refused'])
})
