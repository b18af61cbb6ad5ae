import { asClause, describeError } from '@attestry/core/errors/baseError.ts'
import type { PeerState } from '@attestry/hooks/watchPeers.ts'
import type { Clock } from '@attestry/core/model/clock.ts'
import type { ChainId } from '@attestry/core/model/compositeId.ts'
import type { SyncLog } from '@attestry/core/sync/indexedChain.ts'
import { compareDigests, type DigestFinding, type DigestSource } from '../../compareDigests.ts'

/** The index of another operator. */
export interface Peer {
  /** The host in messages. */
  readonly name: string
  readonly digests: DigestSource
}

export interface PeersOptions {
  readonly peers: readonly Peer[]
  readonly chains: readonly { readonly chainId: ChainId; readonly finality: number }[]
  /** The digests of this index. */
  readonly own: DigestSource
  readonly log: SyncLog
  readonly clock: Clock
  /** The time that is told, in milliseconds since the epoch. */
  readonly now: () => number
  /** Receives all states after each comparison. */
  readonly onStates: (states: readonly PeerState[]) => void
}

/** Pauses before the first comparison, while chains catch up, and between two of them, in milliseconds. */
const firstPauseMs = 60_000
const pauseMs = 3_600_000

/**
 * Compares the chains of this index with those of peers each hour, until `signal` aborts. A difference is a warning each
 * time; a peer that cannot be asked is one once. Blocks that may still change are not compared.
 */
export async function comparePeers(options: PeersOptions, signal: AbortSignal): Promise<void> {
  const { peers, chains, clock, onStates } = options
  const states = new Map<string, PeerState>()
  const reasons = new Map<string, string>()
  for (let waitMs = firstPauseMs; !signal.aborted; waitMs = pauseMs) {
    await clock.sleep(waitMs, signal).catch(() => undefined)
    for (const peer of peers) {
      for (const chain of chains) {
        if (signal.aborted) return
        await compareChain(options, peer, chain, { states, reasons }, signal)
        onStates([...states.values()])
      }
    }
  }
}

interface Known {
  /** By peer and chain. */
  readonly states: Map<string, PeerState>
  /** Why a chain could not be compared, as it was told last. */
  readonly reasons: Map<string, string>
}

async function compareChain(
  { own, log, now }: PeersOptions,
  peer: Peer,
  { chainId, finality }: PeersOptions['chains'][number],
  { states, reasons }: Known,
  signal: AbortSignal,
): Promise<void> {
  const key = `${peer.name} ${chainId}`
  const facts = { chainId, peer: peer.name }
  const findings = await findDifferences(
    chainId,
    settled(own, finality),
    settled(peer.digests, finality),
    signal,
  )
  if (signal.aborted) return
  const [first] = findings
  const before = states.get(key)?.difference ?? null
  if (first?.kind === 'unasked') {
    if (reasons.get(key) !== first.reason) {
      log('warn', `chain ${chainId} cannot be compared with ${peer.name}: ${asClause(first.reason)}`, facts)
    }
    reasons.set(key, first.reason)
    return
  }
  reasons.delete(key)
  if (first?.kind !== 'disagreement') {
    if (before !== null) log('info', `chain ${chainId} equals that of ${peer.name} again`, facts)
    states.set(key, { peer: peer.name, chainId, difference: null })
    return
  }
  const { blockNumber } = first
  const text = describeDifference(first)
  const foundAt = before?.blockNumber === blockNumber ? before.foundAt : now()
  states.set(key, { peer: peer.name, chainId, difference: { blockNumber, text, foundAt } })
  log(
    'warn',
    `chain ${chainId} differs from that of ${peer.name}, first in block ${blockNumber}: ${text}; attestry verify says which is right`,
    {
      ...facts,
      blockNumber,
    },
  )
}

async function findDifferences(
  chainId: ChainId,
  own: DigestSource,
  other: DigestSource,
  signal: AbortSignal,
): Promise<readonly DigestFinding[]> {
  try {
    return await compareDigests(chainId, own, other, signal)
  } catch (error) {
    return [{ kind: 'unasked', chainId, reason: describeError(error) }]
  }
}

/** The digests of blocks that change no more: the newest is that of the last final block. */
function settled({ findDigest }: DigestSource, finality: number): DigestSource {
  return {
    findDigest: async (chainId, block, signal) => {
      const found = await findDigest(chainId, block, signal)
      if (block !== null || found.kind === 'none') return found
      const { blockNumber } = found.digest
      if (blockNumber === null || blockNumber < finality)
        return { kind: 'none', reason: 'no block is final yet' }
      return await findDigest(chainId, blockNumber - finality, signal)
    },
  }
}

const holders = { here: 'is only here', there: 'is only there', both: 'differs' } as const

function describeDifference({ event, holder }: DigestFinding & { readonly kind: 'disagreement' }): string {
  const record = event.id === null ? '' : ` ${event.id}`
  return `${event.type}${record} (event ${event.eventIndex}) ${holders[holder]}`
}
