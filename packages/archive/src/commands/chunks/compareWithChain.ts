import { randomInt } from 'node:crypto'
import type { ChunksConfig } from '../../chunks/chunksWing.ts'
import type { ChainCheck, ChunkChecks, Comparison } from '../../chunks/readChunks.ts'
import type { PublishedChain } from '../../chunks/manifest.ts'
import type { SampledSpan } from '../../chunks/sampleSpans.ts'
import { ChunksRefusedError } from '@attestry/core/errors/chunkErrors.ts'
import type { ChainId } from '@attestry/core/model/compositeId.ts'
import { isUnannounced, positionBlock } from '@attestry/core/model/position.ts'
import type { Difference } from '@attestry/core/index/indexAudit.ts'
import { findProtocol } from '@attestry/core/protocols/registry.ts'
import type { EventSource } from '@attestry/core/sync/fetchEvents.ts'
import { createLogWitness, type LogWitness } from '@attestry/core/sync/findWithheldBlocks.ts'
import { openSource, type AskedChain } from '@attestry/verify/chainComparison.ts'
import { compareEvents } from '@attestry/verify/compareEvents.ts'
import { compareRevocation } from '@attestry/verify/compareRevocation.ts'
import { createPin, fetchChainEvents, type ChainEvent, type Pin } from '@attestry/verify/fetchChainEvents.ts'
import { formatFinding } from '@attestry/verify/commands/formatFinding.ts'

/** Spans that the endpoints are asked for at the same time. */
const spansAtOnce = 8

/** The checks of published chunks by the endpoints that `ask` returns. */
export function createChecks(
  { sample }: ChunksConfig,
  ask: (chainId: ChainId) => AskedChain,
): Omit<ChunkChecks, 'openChunk' | 'signal'> {
  return {
    check: createChainCheck(ask),
    mayBeBornRevoked: (protocol) => findProtocol(protocol)?.mayBeBornRevoked ?? false,
    sampleSize: sample,
    random: () => randomInt(2 ** 32) / 2 ** 32,
  }
}

/** Compares published blocks with the chain, as `attestry verify` compares those of an index. */
function createChainCheck(ask: (chainId: ChainId) => AskedChain): ChainCheck {
  return {
    compare: async (published, spans, signal) => {
      const { chainId, block } = published
      const asked = ask(chainId)
      const source = openSource(auditedChain(published), asked)
      const head = await asked.client.fetchHead(signal)
      if (head.number < block) {
        throw new ChunksRefusedError(
          `The chunks of chain ${chainId} reach block ${block}, but the chain is at block ${head.number} by the endpoints: the first block that differs is ${head.number + 1}`,
          { facts: { chainId, block: head.number + 1 } },
        )
      }
      const header = await asked.client.fetchAgreedHeader(block, null, signal)
      const parts = { source, pin: createPin(source, header), witness: createLogWitness(source, header) }
      return await compareSpans(published.chainId, parts, spans, signal)
    },
  }
}

interface Parts {
  readonly source: EventSource
  readonly pin: Pin
  readonly witness: LogWitness
}

async function compareSpans(
  chainId: ChainId,
  parts: Parts,
  spans: readonly SampledSpan[],
  signal: AbortSignal,
): Promise<Comparison> {
  let withheld = 0
  for (let from = 0; from < spans.length; from += spansAtOnce) {
    const some = spans.slice(from, from + spansAtOnce)
    const found = await Promise.all(some.map((span) => compareSpan(chainId, parts, span, signal)))
    withheld += found.filter(({ isWithheld }) => isWithheld).length
    const first = found.find(({ difference }) => difference !== null)?.difference ?? null
    if (first !== null) {
      const text = formatFinding({ kind: 'difference', difference: first })
      return { first: { block: first.blockNumber ?? 0, text }, withheld }
    }
  }
  return { first: null, withheld }
}

/** The first difference of a span, ascending by block, and whether logs of it may have been pruned. */
async function compareSpan(
  chainId: ChainId,
  { source, pin, witness }: Parts,
  span: SampledSpan,
  signal: AbortSignal,
): Promise<{ readonly difference: Difference | null; readonly isWithheld: boolean }> {
  // Unannounced records have no log to compare with.
  const held = span.events.filter(({ event }) => !isUnannounced(event.position))
  const onChain: ChainEvent[] = []
  const rangeBlocks = source.client.logRangeBlocks()
  for (let fromBlock = span.fromBlock; fromBlock <= span.toBlock; fromBlock += rangeBlocks) {
    const toBlock = Math.min(span.toBlock, fromBlock + rangeBlocks - 1)
    onChain.push(...(await fetchChainEvents(source, pin, { fromBlock, toBlock }, signal)))
  }
  const differences = [
    ...compareEvents(
      chainId,
      held.map(({ event }) => event),
      onChain.map(({ event }) => event),
    ),
    ...(span.hasRevocations ? compareRevocations(held, onChain, pin) : []),
  ]
  const heard = new Set(onChain.map(({ event }) => positionBlock(event.position)))
  const silent = differences.flatMap(({ what, blockNumber }) =>
    what === 'extra' && blockNumber !== null && !heard.has(blockNumber) ? [blockNumber] : [],
  )
  const withheld = await witness.findWithheld([...new Set(silent)], signal)
  const certain = differences.filter(
    ({ what, blockNumber }) => what !== 'extra' || !withheld.has(blockNumber ?? -1),
  )
  const [difference = null] = certain.toSorted((a, b) => (a.blockNumber ?? 0) - (b.blockNumber ?? 0))
  return { difference, isWithheld: withheld.size > 0 }
}

function compareRevocations(
  held: SampledSpan['events'],
  onChain: readonly ChainEvent[],
  pin: Pin,
): readonly Difference[] {
  const keyOf = ({ event }: { readonly event: ChainEvent['event'] }) =>
    event.kind === 'attestationMade' ? `${event.attestation.protocol} ${event.attestation.key.localId}` : null
  const byKey = new Map(held.map((stored) => [keyOf(stored), stored]))
  const at = { block: pin.header, loose: pin.isLoose(), isCheckpointTimed: true }
  return onChain.flatMap((each) => {
    const stored = keyOf(each) === null ? undefined : byKey.get(keyOf(each))
    if (stored === undefined || each.revocation === null) return []
    const found = compareRevocation(stored, each.revocation, at)
    return found === null ? [] : [found.difference]
  })
}

function auditedChain({ chainId, name, contracts, block, timestamp }: PublishedChain) {
  const progress = { checkpoint: { blockNumber: block, timestamp }, rewindTo: null, recentBlocks: [] }
  return { identity: { chainId, name, contracts }, progress }
}
