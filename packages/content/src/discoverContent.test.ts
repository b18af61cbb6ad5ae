import { expect, test } from 'vitest'
import { createSampleIndex } from '@attestry/server/pipeline/testing/sampleIndex.ts'
import { sampleAttestation, sampleChainId } from '@attestry/server/pipeline/testing/sampleRecords.ts'
import { openTestIndex } from '@attestry/server/pipeline/testing/testIndex.ts'
import type { NotedPointer } from './contentStore.ts'
import { createDiscovery } from './discoverContent.ts'

const named = 'QmdfTbBqBPQ7VNxZEYEj14VmRuZBkqFbiwReogJgS1zR1n'

test('a record that names content at a place of its own is noted without a key, as refused', async () => {
  const index = createSampleIndex()
  index.attestations = index.attestations
    .with(0, sampleAttestation(1, { dataLocation: 'CUSTOM' }))
    .with(1, sampleAttestation(2, { dataLocation: 'IPFS' }))
  const noted: NotedPointer[] = []
  const discover = createDiscovery({
    reader: openTestIndex(index),
    store: {
      findWalk: () => Promise.resolve(null),
      note: ({ pointers }) => {
        noted.push(...pointers)
        return Promise.resolve()
      },
    },
    decodePayload: () => ({ kind: 'decoded', values: [{ name: 'contentId', type: 'string', value: named }] }),
    now: () => 0,
  })
  await discover(new AbortController().signal)
  const of = (localId: string) =>
    noted.find(({ record }) => record.chainId === sampleChainId && record.localId === localId)
  expect(of('0x1')).toMatchObject({ key: null, text: named })
  expect(of('0x2')?.key).toContain(named)
  expect(noted.filter(({ key }) => key === null)).toHaveLength(1)
})
