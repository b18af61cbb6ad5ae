import { blockNumbers } from '@attestry/core/model/chainState.ts'
import type { ChainId } from '@attestry/core/model/compositeId.ts'
import type { AuditedChain, BlockRange, IndexRepair } from '@attestry/core/index/indexAudit.ts'
import type { DomainEvent } from '@attestry/core/model/domainEvent.ts'
import { positionBlock } from '@attestry/core/model/position.ts'
import { openSource, type AskedChain } from './chainComparison.ts'
import { createPin, fetchChainEvents } from './fetchChainEvents.ts'
import { mergeSpans } from './chooseSpans.ts'
import { createLogWitness } from '@attestry/core/sync/findWithheldBlocks.ts'
import type { BlockSpan } from './findings.ts'
import type { RepairPlan } from './planRepair.ts'
import type { AskChain } from './verifyIndex.ts'

/**
 * Events per transaction of a repair. Each transaction rebuilds the derived tables; its events must fit into memory.
 */
const eventsPerRepair = 200_000

/**
 * Carries out a plan: rewinds chains, reads blocks again, rebuilds the derived tables. Returns the blocks that were
 * read again. Does nothing while a chain is undecided, because rebuilt counters would hide the loss.
 */
export async function repairIndex(
  repair: IndexRepair,
  chains: readonly AuditedChain[],
  askChain: AskChain,
  plan: RepairPlan,
  signal: AbortSignal,
): Promise<ReadonlyMap<ChainId, readonly BlockSpan[]>> {
  const reread = new Map<ChainId, readonly BlockSpan[]>()
  if (plan.undecided.length > 0) return reread
  let rebuilt = false
  for (const [chainId, toBlock] of plan.rewinds) {
    await repair.rewind(chainId, toBlock)
    rebuilt = true
  }
  for (const chain of chains) {
    const { chainId } = chain.identity
    const spans = plan.reindex.get(chainId)
    const asked = askChain(chainId)
    const lastBlock = plan.rewinds.get(chainId) ?? chain.progress.checkpoint?.blockNumber ?? -1
    if (spans === undefined || asked === null) continue
    await rereadBlocks(repair, chain, asked, upTo(spans, lastBlock), signal)
    reread.set(chainId, spans)
    rebuilt = true
  }
  if (plan.rebuild && !rebuilt) await repair.rebuild()
  return reread
}

async function rereadBlocks(
  repair: IndexRepair,
  chain: AuditedChain,
  asked: AskedChain,
  spans: readonly BlockSpan[],
  signal: AbortSignal,
): Promise<void> {
  const { chainId } = chain.identity
  const source = openSource(chain, asked)
  const head = await asked.client.fetchHead(signal)
  const pinned = Math.min(head.number, chain.progress.checkpoint?.blockNumber ?? -1)
  const [header] = await asked.client.fetchHeaders(pinned, pinned, signal)
  if (header === undefined) return
  const pin = createPin(source, header)
  const witness = createLogWitness(source, header)
  let waiting: BlockRange[] = []
  let events = 0
  const flush = async () => {
    if (waiting.length > 0) await repair.replaceBlocks(chainId, waiting, asked.clock.nowMs())
    waiting = []
    events = 0
  }
  for (const span of spans) {
    const onChain = (await fetchChainEvents(source, pin, span, signal)).map(({ event }) => event)
    // If no endpoint has the logs of a block any more, the stored events are kept.
    const withheld = await witness.findWithheld(silentBlocks(span, onChain), signal)
    waiting.push(...withoutBlocks(span, withheld).map((range) => rangeOf(range, onChain)))
    events += onChain.length
    if (events >= eventsPerRepair) await flush()
  }
  await flush()
}

function silentBlocks({ fromBlock, toBlock }: BlockSpan, events: readonly DomainEvent[]): readonly number[] {
  const heard = new Set(events.map((event) => positionBlock(event.position)))
  return blockNumbers(fromBlock, toBlock).filter((block) => !heard.has(block))
}

/** The parts of a span outside of some blocks. */
function withoutBlocks({ fromBlock, toBlock }: BlockSpan, blocks: ReadonlySet<number>): readonly BlockSpan[] {
  const parts: BlockSpan[] = []
  let first = fromBlock
  for (const block of [...blocks].sort((a, b) => a - b)) {
    parts.push({ fromBlock: first, toBlock: block - 1 })
    first = block + 1
  }
  return mergeSpans([...parts, { fromBlock: first, toBlock }])
}

function rangeOf({ fromBlock, toBlock }: BlockSpan, events: readonly DomainEvent[]): BlockRange {
  const isWithin = ({ position }: DomainEvent) =>
    positionBlock(position) >= fromBlock && positionBlock(position) <= toBlock
  return { fromBlock, toBlock, events: events.filter(isWithin) }
}

function upTo(spans: readonly BlockSpan[], lastBlock: number): readonly BlockSpan[] {
  return spans
    .filter(({ fromBlock }) => fromBlock <= lastBlock)
    .map(({ fromBlock, toBlock }) => ({ fromBlock, toBlock: Math.min(toBlock, lastBlock) }))
}
