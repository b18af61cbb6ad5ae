import { expect, test } from 'vitest'
import { findSection, peersTitle, putSection } from '../keepSection.ts'
import type { ContenderFigures, Outcome } from './benchPeers.ts'
import { formatPeers } from './formatPeers.ts'

const outcome: Outcome = {
  backfillSeconds: 10,
  eventsPerSecond: 2_000,
  cpuSeconds: 4,
  databaseCpuSeconds: 2,
  megabytes: 300.4,
  visibleMs: 70.6,
  rates: [
    { interfaceName: 'REST', question: 'one record', requestsPerSecond: 12_345.6, cpuMs: 0.081 },
    { interfaceName: 'REST', question: 'newest ten', requestsPerSecond: 20_000, cpuMs: 0.05 },
  ],
  crash: { shareBefore: 0.525, seconds: 6.04 },
}

const figures: readonly ContenderFigures[] = [
  { name: 'Attestry, PostgreSQL', version: null, outcome },
  {
    name: 'Ponder, PostgreSQL',
    version: '1.2.3',
    outcome: { ...outcome, eventsPerSecond: 200, backfillSeconds: 100, cpuSeconds: 58, rates: [] },
  },
  { name: 'Envio, PostgreSQL', version: '4.5.6', outcome: 'it ended with 1' },
]

test('ratios are those to the first contender with the same database', () => {
  const cells = cellsOf(formatPeers(figures, 20_000, 'npm run bench:peers'))
  expect(cells.get('Events a second')).toEqual(['2,000', '200'])
  expect(cells.get('Rate of Attestry, PostgreSQL, divided by this rate')).toEqual(['1.0', '10'])
  expect(cells.get('CPU time an event: program')).toEqual(['200 µs', '2,900 µs'])
  expect(cells.get('CPU time an event: PostgreSQL')).toEqual(['100 µs', '100 µs'])
  expect(cells.get('CPU time of Attestry, PostgreSQL, divided by this')).toEqual(['1.0', '0.10'])
  expect(cells.get('Attestations answered before `kill -9`')).toEqual(['53 %', '53 %'])
})

test('requests have a column for each interface, and none for a contender without one', () => {
  const cells = cellsOf(formatPeers(figures, 20_000, 'npm run bench:peers'))
  expect(cells.get('Question')).toEqual(['Attestry, PostgreSQL: REST'])
  expect(cells.get('one record')).toEqual(['12,346 (0.08 ms)'])
  expect(cells.get('newest ten of a recipient')).toEqual([''])
})

test('a contender that failed is named with the reason', () => {
  const section = formatPeers(figures, 20_000, 'npm run bench:peers')
  expect(section).toContain('- Envio, PostgreSQL 4.5.6 could not be measured: it ended with 1\n')
  expect(formatPeers(figures.slice(2), 20_000, 'npm run bench:peers')).not.toContain('Events a second')
})

test('the section replaces an earlier one', () => {
  const section = formatPeers(figures, 20_000, 'npm run bench:peers')
  const document = putSection(
    putSection('# Performance\n', peersTitle, `${peersTitle}\n\nearlier`),
    peersTitle,
    section,
  )
  expect(findSection(document, peersTitle)?.trim()).toBe(section.trim())
  expect(document).not.toContain('earlier')
})

/** The cells of each row behind its first one, by the first one. */
function cellsOf(section: string): ReadonlyMap<string, readonly string[]> {
  const rows = section.split('\n').filter((line) => line.startsWith('|'))
  return new Map(
    rows.map((line) => {
      const [label = '', ...cells] = line
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.trim())
      return [label, cells] as const
    }),
  )
}
