import { AttestryError, describeError } from '@attestry/core/errors/baseError.ts'
import { positionBlock } from '@attestry/core/model/position.ts'
import type { Attestation } from '@attestry/core/model/records.ts'
import type { AuditedChain, Difference, IndexAudit } from '@attestry/core/index/indexAudit.ts'
import type { StoredEvent } from '@attestry/core/index/indexRestore.ts'
import type { EventSource } from '@attestry/core/sync/fetchEvents.ts'
import { firstBlockOf, openSource, type AskedChain } from './chainComparison.ts'
import { chooseSpans, mergeSpans } from './chooseSpans.ts'
import { compareCounters } from './compareCounters.ts'
import { compareEvents } from './compareEvents.ts'
import { compareRevocation } from './compareRevocation.ts'
import { createPin, fetchChainEvents, type ChainEvent, type Pin } from './fetchChainEvents.ts'
import { findBlocksAt } from '@attestry/core/sync/findBlocksAt.ts'
import { findCommonBlock } from './findCommonBlock.ts'
import { createLogWitness, type LogWitness } from '@attestry/core/sync/findWithheldBlocks.ts'
import type { BlockSpan, Finding } from './findings.ts'

/** The part of a chain to compare. */
export type ComparisonScope =
  | { readonly kind: 'all' }
  /** A number of random records, with the blocks around them and some others. */
  | { readonly kind: 'sample'; readonly records: number; readonly random: () => number }

export interface ChainComparison {
  readonly audit: IndexAudit
  readonly chain: AuditedChain
  readonly asked: AskedChain
  readonly scope: ComparisonScope
  /**
   * Whether the whole chain is compared if counters and records contradict each other in places that cannot be located.
   */
  readonly thorough: boolean
  /** Blocks that are compared in any scope. */
  readonly also: readonly BlockSpan[]
  readonly signal: AbortSignal
}

/** Records of a chain that are revoked without an event, and are compared beside the sample. */
const bornRevokedMax = 2_000

/** Spans fetched at the same time. */
const spansAtOnce = 4

/**
 * Compares the index of a chain with the chain, at a block of both: the counters of the contracts, and the events of
 * blocks, read from the chain again. A part that cannot be read is reported as such, never as equal.
 */
export async function* compareChain(comparison: ChainComparison): AsyncGenerator<Finding> {
  const { chain, signal } = comparison
  const { chainId } = chain.identity
  try {
    yield* compareAsked(comparison)
  } catch (error) {
    if (signal.aborted || !isUnasked(error)) throw error
    yield { kind: 'unasked', chainId, reason: describeError(error) }
  }
}

/** Whether an error comes from the endpoints, and so says nothing about the index. */
function isUnasked(error: unknown): boolean {
  return error instanceof AttestryError && /^(?:RPC|CHAIN|REORG)_/.test(error.code)
}

interface Compared {
  blocks: number
  events: number
  /** Blocks that may have logs, and whose logs no endpoint returned. */
  readonly withheld: Set<number>
}

async function* compareAsked(comparison: ChainComparison): AsyncGenerator<Finding> {
  const { audit, chain, asked, signal } = comparison
  const { chainId, name } = chain.identity
  asked.unannounced = []
  let source = openSource(chain, asked)
  const { header, differences } = await findCommonBlock(asked.client, chain, asked.finality, signal)
  yield* differences.map(asFinding)
  const compared: Compared = { blocks: 0, events: 0, withheld: new Set() }
  let isByOne = false
  if (header !== null) {
    const pin = createPin(source, header)
    const witness = createLogWitness(source, header)
    yield* findEarlyEvents(audit, chain)
    const counters = await compareCounters({ chainId, audit, source, pin, witness, signal })
    yield* counters.differences.map(asFinding)
    asked.unannounced = counters.unannounced
    source = openSource(chain, asked)
    if (!counters.compared) {
      const reason = `no endpoint has the state of block ${header.number} any more, so the contracts' counters were not compared`
      yield { kind: 'unasked', chainId, reason }
    }
    const isDoubtful = counters.differences.some(({ remedy }) => remedy === 'recount')
    const scope: ComparisonScope = comparison.thorough && isDoubtful ? { kind: 'all' } : comparison.scope
    yield* compareSpans({ ...comparison, scope }, source, { pin, witness }, counters.spans, compared)
    isByOne = pin.isByOne()
    if (compared.withheld.size > 0)
      yield { kind: 'unasked', chainId, reason: describeWithheld(compared.withheld) }
    const [again] = await asked.client.fetchHeaders(header.number, header.number, signal)
    if (again?.hash !== header.hash) {
      const reason = `block ${header.number} was reorganised away meanwhile; verify again`
      yield { kind: 'unasked', chainId, reason }
    }
  }
  const { blocks, events, withheld } = compared
  const isComplete = header !== null && withheld.size === 0
  yield {
    kind: 'compared',
    chainId,
    name,
    blocks,
    events,
    upToBlock: header?.number ?? null,
    isComplete,
    isByOne,
  }
}

function describeWithheld(blocks: ReadonlySet<number>): string {
  const numbers = [...blocks].sort((a, b) => a - b)
  return `the endpoints gave no logs of ${numbers.length} blocks between ${numbers[0]} and ${numbers.at(-1)}, but may have pruned them`
}

/** Events before the first block of every contract: none of them can be true. */
async function* findEarlyEvents(audit: IndexAudit, chain: AuditedChain): AsyncGenerator<Finding> {
  const { chainId } = chain.identity
  const lastBlock = firstBlockOf(chain) - 1
  if (lastBlock < 0) return
  for await (const { event } of audit.readEvents(chainId, 0, lastBlock)) {
    yield* compareEvents(chainId, [event], []).map(asFinding)
  }
}

async function* compareSpans(
  comparison: ChainComparison,
  source: EventSource,
  { pin, witness }: { readonly pin: Pin; readonly witness: LogWitness },
  missing: readonly BlockSpan[],
  compared: Compared,
): AsyncGenerator<Finding> {
  const queue = [...(await firstSpans(comparison, source, pin, missing))]
  const looked = new Set<string>()
  while (queue.length > 0) {
    comparison.signal.throwIfAborted()
    const spans = takeSpans(queue, source.client.logRangeBlocks())
    const fetched = await Promise.all(
      spans.map(async (span) => ({
        span,
        onChain: await fetchChainEvents(source, pin, span, comparison.signal),
      })),
    )
    for (const { span, onChain } of fetched) {
      const { differences, further } = await compareSpan(comparison, source, pin, span, onChain)
      const silent = silentBlocks(differences, onChain)
      const withheld = await witness.findWithheld(silent, comparison.signal)
      for (const block of withheld) compared.withheld.add(block)
      // Unknown is not different: a repair would delete records whose logs this endpoint has pruned.
      yield* differences
        .filter(
          ({ what, blockNumber }) => what !== 'extra' || blockNumber === null || !withheld.has(blockNumber),
        )
        .map(asFinding)
      compared.blocks += span.toBlock - span.fromBlock + 1
      compared.events += onChain.length
      for (const blocks of further) {
        const key = `${blocks.fromBlock} ${blocks.toBlock}`
        if (looked.has(key)) continue
        looked.add(key)
        queue.push(blocks)
      }
    }
  }
}

/** Blocks with events in the index and none from the chain. */
function silentBlocks(differences: readonly Difference[], onChain: readonly ChainEvent[]): readonly number[] {
  const heard = new Set(onChain.map(({ event }) => positionBlock(event.position)))
  const extra = differences.flatMap(({ what, blockNumber }) =>
    what === 'extra' && blockNumber !== null && !heard.has(blockNumber) ? [blockNumber] : [],
  )
  return [...new Set(extra)]
}

async function firstSpans(
  { audit, chain, scope, also }: ChainComparison,
  source: EventSource,
  pin: Pin,
  missing: readonly BlockSpan[],
): Promise<readonly BlockSpan[]> {
  const [firstBlock, lastBlock] = [firstBlockOf(chain), pin.header.number]
  if (source.addresses.length === 0 || firstBlock > lastBlock) return []
  const needed = [...also, ...missing]
  if (scope.kind === 'all') return mergeSpans([{ fromBlock: firstBlock, toBlock: lastBlock }])
  const { chainId } = chain.identity
  const records = await audit.sampleRecords(chainId, scope.records, scope.random)
  // No event and no digest covers these revocations.
  const bornRevoked = await audit.sampleBornRevoked(chainId, bornRevokedMax, scope.random)
  const upTo = [...records, ...bornRevoked.positions].filter(
    (position) => positionBlock(position) <= lastBlock,
  )
  return chooseSpans({ firstBlock, lastBlock, records: upTo, also: needed, random: scope.random })
}

/** The next spans of the queue, each within the range of a request for logs. */
function takeSpans(queue: BlockSpan[], blocksMax: number): BlockSpan[] {
  const taken: BlockSpan[] = []
  while (taken.length < spansAtOnce) {
    const span = queue.shift()
    if (span === undefined) break
    const toBlock = Math.min(span.toBlock, span.fromBlock + blocksMax - 1)
    if (toBlock < span.toBlock) queue.unshift({ fromBlock: toBlock + 1, toBlock: span.toBlock })
    taken.push({ fromBlock: span.fromBlock, toBlock })
  }
  return taken
}

interface SpanComparison {
  readonly differences: readonly Difference[]
  /** The blocks in which lost revocations should stand. */
  readonly further: readonly BlockSpan[]
}

async function compareSpan(
  { audit, chain, signal }: ChainComparison,
  source: EventSource,
  pin: Pin,
  span: BlockSpan,
  onChain: readonly ChainEvent[],
): Promise<SpanComparison> {
  const { chainId } = chain.identity
  const stored: StoredEvent[] = []
  for await (const event of audit.readEvents(chainId, span.fromBlock, span.toBlock)) stored.push(event)
  const differences = [
    ...compareEvents(
      chainId,
      stored.map(({ event }) => event),
      onChain.map(({ event }) => event),
    ),
  ]
  const further: BlockSpan[] = []
  const attestations = new Map(
    stored.flatMap((each) =>
      each.event.kind === 'attestationMade' ? [[keyOf(each.event.attestation), each]] : [],
    ),
  )
  const isCheckpointTimed = (chain.progress.checkpoint?.timestamp ?? null) !== null
  const at = { block: pin.header, loose: pin.isLoose(), isCheckpointTimed }
  for (const { event, revocation } of onChain) {
    const held = event.kind === 'attestationMade' ? attestations.get(keyOf(event.attestation)) : undefined
    const found = held === undefined || revocation === null ? null : compareRevocation(held, revocation, at)
    if (found === null) continue
    differences.push(found.difference)
    if (found.eventTimestamp === null) continue
    const within = { fromBlock: positionBlock(event.position), toBlock: pin.header.number }
    const blocks = await findBlocksAt(source.client, found.eventTimestamp, within, signal)
    if (blocks !== null) further.push(blocks)
  }
  return { differences, further }
}

function keyOf({ protocol, key }: Attestation): string {
  return `${protocol} ${key.localId}`
}

function asFinding(difference: Difference): Finding {
  return { kind: 'difference', difference }
}
