import { expect, test } from 'vitest'
import type { ScaleFigures } from './benchScale.ts'
import { formatScale } from './formatScale.ts'

const filled = (eventsPerSecond: number, bytes: number, backfillSeconds: number, headSeconds: number) => ({
  bulk: { events: 1, seconds: 1, storeSeconds: 1, eventsPerSecond },
  bytes,
  cost: { backfillSeconds, headSeconds },
})

const sqlite: ScaleFigures = {
  kind: 'sqlite',
  fill: { small: filled(12_000, 91e6, 1e-4, 6e-4), large: filled(2_000, 9_337e6, 4e-4, 7e-4) },
  cases: [
    scaleCase('single attestation', 8_867, 0.77, 11.7),
    scaleCase('groups', 1_251, 0.16, 107.5, null),
    scaleCase('a value', 4_094, 0.65, 23.1, 0.6),
  ],
  ends: [{ name: 'all', firstMs: 0.1, lastMs: 0.2, ratioTarget: undefined }],
  workers: { name: '20 by ids', onePerSecond: 1_260, twoPerSecond: 2_326, ratio: 1.5 },
  ownBytes: 322e6,
}
const postgres: ScaleFigures = {
  ...sqlite,
  kind: 'postgres',
  cases: [scaleCase('a value', 699, 0.97, 100.8, 0.6)],
  ends: [{ name: 'all', firstMs: 0.1, lastMs: 0.11, ratioTarget: 2 }],
  ownBytes: 218e6,
}

function scaleCase(
  name: string,
  largePerSecond: number,
  rateRatio: number,
  largeP99Ms: number,
  rateTarget?: number | null,
) {
  return { name, largePerSecond, smallPerSecond: 1, rateRatio, largeP99Ms, rateTarget }
}

function cellsOf(stores: readonly ScaleFigures[], label: string): readonly string[] {
  const section = formatScale({ stores, largeAttestations: 1e7, smallAttestations: 1e5, command: 'bench' })
  const row = section.split('\n').find((line) => line.startsWith(`| ${label} `))
  return (row ?? '')
    .split('|')
    .slice(2, -1)
    .map((cell) => cell.trim())
}

test('the stores stand side by side, each with its ratio and its verdict', () => {
  const both = [sqlite, postgres]
  expect(cellsOf(both, 'a value')).toEqual([
    '4,094',
    '0.65 (≥ 0.6)',
    '23.1 ms',
    '699',
    '0.97 (≥ 0.6)',
    '100.8 ms',
  ])
  expect(cellsOf(both, 'An event as a backfill writes it (≤ 1.3)').slice(0, 3)).toEqual([
    '100 µs',
    '400 µs',
    '4.00 **missed**',
  ])
  expect(cellsOf(both, 'Memory of the server without mapped files (≤ 300 MB)')).toEqual([
    ...['', '322 MB **missed**', ''],
    ...['', '218 MB', ''],
  ])
  expect(cellsOf(both, 'all')).toEqual(['0.20 ms', '2.00 **missed**', '0.11 ms', '1.10 (≤ 2)'])
})

test('a case that one store was not asked leaves its cells empty', () => {
  expect(cellsOf([sqlite, postgres], 'single attestation')).toEqual([
    ...['8,867', '0.77 **missed**', '11.7 ms'],
    ...['', '', ''],
  ])
  expect(cellsOf([sqlite], 'groups')).toEqual(['1,251', '0.16 (no target)', '107.5 ms **missed**'])
})
