import { expect, test } from 'vitest'
import { createSleepingClock } from '@attestry/test/harness/sleepingClock.ts'
import type { PeerState } from '@attestry/hooks/watchPeers.ts'
import type { Address, Hash } from '@attestry/core/model/hex.ts'
import type { DigestSource } from '../../compareDigests.ts'
import { comparePeers } from './comparePeers.ts'

const contracts = [
  { protocol: 'eas', address: `0x${'42'.repeat(20)}` as Address, schemaRegistry: null, startBlock: 3 },
]

/** An index with one event in each of some blocks. */
function indexOf(
  newest: number,
  blocks: () => readonly number[],
  asked: (number | null)[] = [],
): DigestSource {
  return {
    findDigest: async (_, block) => {
      asked.push(block)
      const at = block ?? newest
      const upTo = blocks().filter((each) => each <= at)
      const sum = upTo.reduce((total, each) => total + each * 7_919, 0)
      return {
        kind: 'told',
        contracts,
        digest: {
          version: 3,
          blockNumber: at,
          eventCount: upTo.length,
          value: `0x${sum.toString(16).padStart(64, '0')}` as Hash,
        },
        events: upTo
          .filter((each) => each === at)
          .map((each) => ({
            type: 'attestation',
            eventIndex: 0,
            id: `onchain_evm_10_0x${each}`,
            digest: `0x${each}`,
          })),
      }
    },
  }
}

/** Compares until so many comparisons were made; resolves with the log and all states. */
async function compareTimes(times: number, own: DigestSource, other: DigestSource) {
  const stop = new AbortController()
  const logged: string[] = []
  const states: (readonly PeerState[])[] = []
  const clock = createSleepingClock()
  await comparePeers(
    {
      peers: [{ name: 'peer.example', digests: other }],
      chains: [{ chainId: 10, finality: 12 }],
      own,
      log: (level, message) => void logged.push(`${level}: ${message}`),
      clock,
      now: () => 5_000 + states.length,
      onStates: (found) => {
        states.push(found)
        if (states.length === times) stop.abort()
      },
    },
    stop.signal,
  )
  return { logged, states, slept: clock.slept }
}

test('a difference is told each hour with its first block, and when it is over', async () => {
  let theirs = [5, 70, 90]
  const asked: (number | null)[] = []
  const other = indexOf(200, () => (asked.length > 20 ? (theirs = [5, 70, 80, 90]) : theirs), asked)
  const { logged, states, slept } = await compareTimes(
    6,
    indexOf(100, () => [5, 70, 80, 90]),
    other,
  )
  const difference = {
    blockNumber: 80,
    text: 'attestation onchain_evm_10_0x80 (event 0) is only here',
    foundAt: 5_000,
  }
  expect(states[0]).toEqual([{ peer: 'peer.example', chainId: 10, difference }])
  expect(states[1]).toEqual(states[0])
  expect(states.at(-1)).toEqual([{ peer: 'peer.example', chainId: 10, difference: null }])
  const told =
    'warn: chain 10 differs from that of peer.example, first in block 80: attestation onchain_evm_10_0x80 (event 0) ' +
    'is only here; attestry verify says which is right'
  expect(logged.slice(0, 2)).toEqual([told, told])
  expect(logged.at(-1)).toBe('info: chain 10 equals that of peer.example again')
  expect(slept.slice(0, 3)).toEqual([60_000, 3_600_000, 3_600_000])
})

test('blocks that may still change are not compared', async () => {
  const { logged, states } = await compareTimes(
    1,
    indexOf(100, () => [5, 89]),
    indexOf(105, () => [5]),
  )
  expect(states).toEqual([[{ peer: 'peer.example', chainId: 10, difference: null }]])
  expect(logged).toEqual([])
})

test('a peer that cannot be asked is told once, and no difference', async () => {
  const silent: DigestSource = {
    findDigest: async () => ({ kind: 'none', reason: 'peer.example does not answer.' }),
  }
  const { logged, states } = await compareTimes(
    3,
    indexOf(100, () => []),
    silent,
  )
  expect(states.at(-1)).toEqual([])
  expect(logged).toEqual([
    'warn: chain 10 cannot be compared with peer.example: peer.example does not answer',
  ])
})
