import { expect, test } from 'vitest'
import type { HeavyWork } from '../pipeline/limits/heavyWork.ts'
import { createSampleIndex } from '../pipeline/testing/sampleIndex.ts'
import { openTestIndex } from '../pipeline/testing/testIndex.ts'
import { sampleChainId } from '../pipeline/testing/sampleRecords.ts'
import type { LocalId } from '@attestry/core/model/compositeId.ts'
import { detailOf } from '@attestry/core/model/recordJson.ts'
import type { Hex } from '@attestry/core/model/hex.ts'
import { presentWhole } from './include.ts'
import { findContent, pointersOf } from './presentContent.ts'
import { presentDecodedData } from './presentDecodedData.ts'

const reader = openTestIndex(createSampleIndex())
const key = { chainId: sampleChainId, localId: '0x1' as LocalId }
const attestation = await reader.findAttestation(key)
if (attestation === null) throw new Error('the sample has no attestation 0x1')
const detail = detailOf(attestation.detail)
const unread = { ...attestation, detail: { ...detail, data: '0x' as Hex }, unreadBytes: 1_000 }

test('rows say that their payloads were not read, instead of showing empty ones', async () => {
  const decode = () => ({ kind: 'decoded', values: [] }) as const
  expect(await presentDecodedData([attestation, unread], decode)).toEqual([
    { decodedData: [], decodedDataError: null },
    { decodedData: null, decodedDataError: expect.stringMatching(/used up/) },
  ])
  const [content] = await findContent(pointersOf([unread], decode), null)
  expect(content).toMatchObject({ state: 'pending', sentence: expect.stringMatching(/used up/), json: null })
})

test('long payloads that are shown are read one after the other, as part of heavy work', async () => {
  const heavy: number[] = []
  const embedding: HeavyWork = {
    open: () => ({ hold: () => Promise.resolve(), end: () => {} }),
    run: (bytes, work) => {
      heavy.push(bytes)
      return work()
    },
  }
  const gone = { ...unread, key: { ...unread.key, localId: '0x999' as LocalId } }
  const rows = await presentWhole(reader, [attestation, unread, gone], { embedding }, (whole) =>
    Promise.resolve(whole),
  )
  expect(rows).toEqual([attestation, attestation, null])
  expect(heavy).toEqual([12_000])
  expect(await presentWhole(reader, [attestation], { embedding }, (whole) => Promise.resolve(whole))).toEqual(
    [attestation],
  )
  expect(heavy).toHaveLength(1)
})
