import type { ChainStatus } from '@attestry/core/model/chainState.ts'
import { localIdOfCounter } from '@attestry/core/model/compositeId.ts'
import { explorerLinks } from '@attestry/core/model/explorerLinks.ts'
import type { Hex } from '@attestry/core/model/hex.ts'
import { unixMilliseconds, unixSeconds } from '@attestry/core/model/time.ts'
import { sampleAddress, sampleAttestation, sampleChainId, sampleHash, sampleSchema } from './sampleRecords.ts'
import { createTestIndex, type IndexContent, type TestIndex } from './testIndex.ts'

/** A content with 12 schemas and 25 attestations, among them every oddity that shows in an answer. */
const sampleContent = createSampleContent()

/** An index with the sample content. */
export function createSampleIndex(): TestIndex {
  return createTestIndex(sampleContent)
}

function createSampleContent(): IndexContent {
  const schemas = Array.from({ length: 12 }, (_, i) => sampleSchema(i + 1))
  schemas[1] = sampleSchema(2, {
    maxValidFor: 2n ** 64n - 1n,
    definition: { name: 'Quote " \\ \n 愛', description: '', fields: [] },
  })
  const attestations = Array.from({ length: 25 }, (_, i) => sampleAttestation(i + 1))
  attestations[2] = sampleAttestation(3, {
    schemaLocalId: localIdOfCounter(2n),
    recipients: [
      { kind: 'address', address: sampleAddress(3) },
      { kind: 'text', text: 'did:key:"z"' },
      { kind: 'text', text: '' },
      { kind: 'bytes', bytes: '0xdead' as Hex },
    ],
    indexingValue: 'order "42"',
    linkedAttestation: localIdOfCounter(1n),
    validUntil: 2n ** 64n - 1n,
    data: '0x' as Hex,
    dataLocation: 'IPFS',
  })
  // The others cannot be decoded.
  for (const [index, score] of [2, 258, 258, 258].entries()) {
    const data = `0x${score.toString(16).padStart(64, '0')}` as Hex
    attestations[index + 10] = sampleAttestation(index + 11, { data })
  }
  // Its schema is not indexed, and it was revoked without a reason.
  attestations[3] = sampleAttestation(4, { schemaLocalId: localIdOfCounter(999n), recipients: [] })
  const revocations = {
    '0x3': { timestamp: '1700200000', reason: 'a "reason"', transactionHash: sampleHash(77) },
    '0x4': { timestamp: '1700300000', reason: '', transactionHash: sampleHash(78) },
  }
  const anchors = [
    { chainId: sampleChainId, anchor: 'Timestamped', account: sampleAddress(2), count: 3 },
    { chainId: sampleChainId, anchor: 'RevokedOffchain', account: sampleAddress(2), count: 2 },
    { chainId: sampleChainId, anchor: 'Timestamped', account: null, count: 2 },
  ]
  return { schemas, attestations, revocations, anchors, chains: [sampleChain()] }
}

/** The status of a chain: fresh, at its head, behind every record of the sample, unless the test says otherwise. */
export function sampleChain(oddities: Partial<ChainStatus> = {}): ChainStatus {
  return {
    chainId: sampleChainId,
    name: 'Sepolia',
    explorer: explorerLinks('https://sepolia.etherscan.io'),
    protocols: ['sign'],
    phase: 'following',
    headBlock: 100_000,
    headTimestamp: unixSeconds(1_700_000_000),
    headSource: 'subscription',
    indexedBlock: 100_000,
    indexedTimestamp: unixSeconds(1_700_000_000),
    fromChunks: null,
    reachedHead: true,
    eventsPerSecond: 0,
    blocksMended: 0,
    history: [],
    lastError: null,
    updatedAt: unixMilliseconds(4_000_000_000_000),
    ...oddities,
  }
}
