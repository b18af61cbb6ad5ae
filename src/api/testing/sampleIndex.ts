import type { ChainOverview } from '../../store/indexReader.ts'
import type { ChainStatus } from '../../model/chainState.ts'
import { localIdOfCounter } from '../../model/compositeId.ts'
import { explorerLinks } from '../../model/explorerLinks.ts'
import type { Hex } from '../../model/hex.ts'
import { unixMilliseconds, unixSeconds } from '../../model/time.ts'
import { createMemoryIndex, type MemoryIndex } from './createMemoryReader.ts'
import { sampleAddress, sampleAttestation, sampleChainId, sampleHash, sampleSchema } from './sampleRecords.ts'

/** An index with 12 schemas and 25 attestations, among them every oddity that shows in an answer. */
export function createSampleIndex(): MemoryIndex {
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
  // Its schema is not indexed, and it was revoked without a reason.
  attestations[3] = sampleAttestation(4, { schemaLocalId: localIdOfCounter(999n), recipients: [] })
  const revocations = {
    '0x3': { timestamp: '1700200000', reason: 'a "reason"', transactionHash: sampleHash(77) },
    '0x4': { timestamp: '1700300000', reason: '', transactionHash: sampleHash(78) },
  }
  const anchors = {
    [sampleAddress(2)]: [
      { chainId: 10, anchor: 'Timestamped', count: 3 },
      { chainId: sampleChainId, anchor: 'RevokedOffchain', count: 2 },
    ],
  }
  return createMemoryIndex({ schemas, attestations, revocations, anchors, chains: [sampleChain()] })
}

/** A chain as `listChains` tells of it, at its head unless the test says otherwise. */
export function sampleChain(oddities: Partial<ChainStatus> = {}): ChainOverview {
  return {
    status: {
      chainId: sampleChainId,
      name: 'Sepolia',
      explorer: explorerLinks('https://sepolia.etherscan.io'),
      protocols: ['sign'],
      phase: 'following',
      headBlock: 100,
      headTimestamp: unixSeconds(1_700_000_000),
      indexedBlock: 100,
      indexedTimestamp: unixSeconds(1_700_000_000),
      reachedHead: true,
      eventsPerSecond: 0,
      lastError: null,
      updatedAt: unixMilliseconds(1_700_000_000_000),
      ...oddities,
    },
    schemaCount: 12,
    attestationCount: 25,
    revocationCount: 2,
    undecodableCount: 0,
    anchorCounts: { RevokedOffchain: 2, Timestamped: 5 },
  }
}
