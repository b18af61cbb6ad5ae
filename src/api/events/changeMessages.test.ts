import { expect, test } from 'vitest'
import type { Address } from '../../model/hex.ts'
import type { JsonFragment } from '../../model/recordJson.ts'
import type { Change } from '../../store/indexQueries.ts'
import { sampleAddress } from '../testing/sampleRecords.ts'
import type { ChangeFilter } from './changeFilter.ts'
import { cutIntoTurns, laterPlace, textFor, wantsAll } from './changeMessages.ts'

const everything: ChangeFilter = { schema: null, attester: null, recipient: null, chainId: null }

/** The revert of an attestation, whose event has about `characters` more characters than its parts. */
function revert(offset: number, attester: Address = sampleAddress(1), characters = 0): Change {
  const summary = { chainId: '1', schemaId: '0x1', attester, note: 'x'.repeat(characters) }
  const summaryJson = JSON.stringify(summary).slice(1, -1) as JsonFragment
  return { kind: 'reverted', place: { sequence: 5, offset }, record: 'attestation', summaryJson }
}

const reset: Change = { kind: 'reset', place: { sequence: 2, offset: 0 } }

test('changes are cut into groups of 64 KiB, longer ones alone, none lost', () => {
  const sizes = [10_000, 50_000, 20_000, 90_000, 10, 10]
  const groups = [...cutIntoTurns(sizes.map((size, index) => revert(index, sampleAddress(1), size)))]
  expect(groups.map((group) => group.map(({ place }) => place.offset))).toEqual([[0, 1], [2], [3], [4, 5]])
  expect([...cutIntoTurns([])]).toEqual([])
})

test('a reader gets what is behind its place and passes its filter, and every reset', () => {
  const [messages = []] = cutIntoTurns([revert(1), revert(2, sampleAddress(2)), revert(3), reset])
  const offsets = (filter: ChangeFilter, offset: number) =>
    [...textFor(filter, { sequence: 5, offset }, messages).matchAll(/id: (.*)\n/g)].map(([, id]) => id)
  expect(offsets(everything, 1)).toEqual(['5-2', '5-3', '2-0'])
  expect(offsets({ ...everything, attester: sampleAddress(1) }, 0)).toEqual(['5-1', '5-3', '2-0'])
  expect(offsets(everything, 9)).toEqual(['2-0'])
})

test('only an unfiltered reader before the first message wants all of them', () => {
  const [messages = []] = cutIntoTurns([revert(1), revert(2)])
  expect(wantsAll(everything, { sequence: 5, offset: 0 }, messages)).toBe(true)
  expect(wantsAll(everything, { sequence: 5, offset: 1 }, messages)).toBe(false)
  expect(wantsAll({ ...everything, chainId: 1 }, { sequence: 5, offset: 0 }, messages)).toBe(false)
  expect(wantsAll(everything, { sequence: 0, offset: 0 }, [])).toBe(false)
})

test('of two places, the later one is told by sequence, then by offset', () => {
  const [a, b, c] = [
    { sequence: 1, offset: 9 },
    { sequence: 2, offset: 0 },
    { sequence: 2, offset: 1 },
  ] as const
  expect([laterPlace(a, b), laterPlace(c, b), laterPlace(b, b)]).toEqual([b, c, b])
})
