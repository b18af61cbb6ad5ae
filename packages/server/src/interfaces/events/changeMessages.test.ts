import { expect, test } from 'vitest'
import type { LocalId } from '@attestry/core/model/compositeId.ts'
import type { DecodePayload } from '@attestry/core/model/decodedPayload.ts'
import type { FieldOperator } from '@attestry/core/model/fieldCondition.ts'
import type { Address, Hex } from '@attestry/core/model/hex.ts'
import type { Change } from '@attestry/core/index/indexQueries.ts'
import type { StoredAttestation } from '@attestry/core/index/storedRecords.ts'
import { everyChange } from '../../pipeline/testing/everyChange.ts'
import { detailOf } from '@attestry/core/model/recordJson.ts'
import { createSampleIndex } from '../../pipeline/testing/sampleIndex.ts'
import { sampleAddress, sampleChainId } from '../../pipeline/testing/sampleRecords.ts'
import { openTestIndex } from '../../pipeline/testing/testIndex.ts'
import type { ChangeFilter } from '@attestry/core/changes/changeFilter.ts'
import { cutIntoTurns, laterPlace, joinTexts, messagesFor, wantsAll } from './changeMessages.ts'

/** The revert of an attestation, whose event has about `characters` more characters than its parts. */
function revert(offset: number, attester: Address = sampleAddress(1), characters = 0): Change {
  const summary = { id: '', chainId: '1', schemaId: '0x1', attester, note: 'x'.repeat(characters) }
  return {
    kind: 'reverted',
    place: { sequence: 5, offset },
    record: 'attestation',
    protocol: 'sign',
    summary,
  }
}

const reset: Change = { kind: 'reset', place: { sequence: 2, offset: 0 } }

/** Reads a payload as a level: its hexadecimal digits. */
const decodeLevel: DecodePayload = ({ data }) =>
  data.length === 2
    ? { kind: 'undecodable', reason: 'it is empty' }
    : { kind: 'decoded', values: [{ name: 'level', type: 'uint8', value: String(BigInt(data)) }] }

test('changes are sent in groups of at most 64 KiB; a longer change is a group of its own, and none is lost', () => {
  const sizes = [10_000, 50_000, 20_000, 90_000, 10, 10]
  const groups = [
    ...cutIntoTurns(
      sizes.map((size, index) => revert(index, sampleAddress(1), size)),
      decodeLevel,
    ),
  ]
  expect(groups.map((group) => group.map(({ place }) => place.offset))).toEqual([[0, 1], [2], [3], [4, 5]])
  expect([...cutIntoTurns([], decodeLevel)]).toEqual([])
})

test('a reader gets the changes after its place that pass its filter, and every reset', () => {
  const [messages = []] = cutIntoTurns(
    [revert(1), revert(2, sampleAddress(2)), revert(3), reset],
    decodeLevel,
  )
  const offsets = (filter: ChangeFilter, offset: number) =>
    [...joinTexts(messagesFor(filter, { sequence: 5, offset }, messages)).matchAll(/id: (.*)\n/g)].map(
      ([, id]) => id,
    )
  expect(offsets(everyChange, 1)).toEqual(['5-2', '5-3', '2-0'])
  expect(offsets({ ...everyChange, attester: sampleAddress(1) }, 0)).toEqual(['5-1', '5-3', '2-0'])
  expect(offsets(everyChange, 9)).toEqual(['2-0'])
})

test('only an unfiltered reader before the first message wants all of them', () => {
  const [messages = []] = cutIntoTurns([revert(1), revert(2)], decodeLevel)
  expect(wantsAll(everyChange, { sequence: 5, offset: 0 }, messages)).toBe(true)
  expect(wantsAll(everyChange, { sequence: 5, offset: 1 }, messages)).toBe(false)
  expect(wantsAll({ ...everyChange, chainId: 1 }, { sequence: 5, offset: 0 }, messages)).toBe(false)
  expect(wantsAll(everyChange, { sequence: 0, offset: 0 }, [])).toBe(false)
})

test('places are ordered by sequence, then by offset', () => {
  const [a, b, c] = [
    { sequence: 1, offset: 9 },
    { sequence: 2, offset: 0 },
    { sequence: 2, offset: 1 },
  ] as const
  expect([laterPlace(a, b), laterPlace(c, b), laterPlace(b, b)]).toEqual([b, c, b])
})

test('a condition on a field passes payloads that fulfil it and reverts, and no schemas', async () => {
  const index = openTestIndex(createSampleIndex())
  const sample = await index.findAttestation({ chainId: sampleChainId, localId: '0x1' as LocalId })
  await index.close()
  if (sample === null) throw new Error('the sample has no attestation 0x1')
  const attestationOf = (data: string): StoredAttestation => ({
    ...sample,
    detail: { ...detailOf(sample.detail), data: data as Hex, dataLocation: 'ONCHAIN' },
  })
  let decodings = 0
  const changes: Change[] = [
    { kind: 'attestation', place: { sequence: 5, offset: 1 }, attestation: attestationOf('0x02') },
    { kind: 'revocation', place: { sequence: 5, offset: 2 }, attestation: attestationOf('0x03') },
    { kind: 'attestation', place: { sequence: 5, offset: 3 }, attestation: attestationOf('0x') },
    revert(4),
    { ...revert(5), kind: 'reverted', record: 'schema' } as Change,
  ]
  const decode: DecodePayload = (payload) => {
    decodings += 1
    return decodeLevel(payload)
  }
  const [messages = []] = cutIntoTurns(changes, decode)
  const pass = (operator: FieldOperator, level: string) => {
    const filter = { ...everyChange, fields: [{ path: ['level'], operator, values: [level] }] }
    expect(wantsAll(filter, { sequence: 0, offset: 0 }, messages)).toBe(false)
    const text = joinTexts(messagesFor(filter, { sequence: 5, offset: 0 }, messages))
    return [...text.matchAll(/id: (.*)\n/g)].map(([, id]) => id)
  }
  expect(decodings).toBe(0)
  expect(pass('equals', '002')).toEqual(['5-1', '5-4'])
  expect(pass('gte', '2')).toEqual(['5-1', '5-2', '5-4'])
  expect(pass('lt', '2')).toEqual(['5-4'])
  expect(decodings).toBe(3)
})
