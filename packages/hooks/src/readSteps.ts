import { formatCompositeId } from '@attestry/core/model/compositeId.ts'
import { eventPosition } from '@attestry/core/model/position.ts'
import type { ChangeJournal } from '@attestry/core/index/indexQueries.ts'
import type { ChainEnd, HookReads, SpanPlace } from '@attestry/core/index/hookStore.ts'
import type { RecordChange } from './formatMessages.ts'
import type { HookState, RecordSpan } from './hookState.ts'

/** One change that a hook has yet to report, and the hook's progress after it. */
export interface Step {
  readonly id: string
  readonly change: RecordChange
  readonly progress: Progress
}

export type Progress = Pick<HookState, 'place' | 'spans'>

/** The next changes, oldest first, and the progress after all of them. */
export type Steps =
  | {
      readonly kind: 'steps'
      readonly steps: readonly Step[]
      readonly end: Progress
      readonly hasMore: boolean
    }
  /** The journal no longer holds the changes after the place. */
  | { readonly kind: 'lost' }

type Source = ChangeJournal & HookReads

/**
 * Reads the next changes that a hook has to report:
 * 1. the records of spans, chain by chain. A span comes from an order to begin anew, or covers newly final blocks if
 *    the hook reports only those;
 * 2. the changes of the journal after `place`.
 */
export async function readSteps(
  source: Source,
  { place, spans, round }: HookState,
  limit: number,
): Promise<Steps> {
  if (Object.keys(spans).length > 0 || place === null) {
    const found = await readSpans(source, { place, spans }, round, limit)
    if (found !== null) return found
  }
  if (place === null) return { kind: 'steps', steps: [], end: { place, spans }, hasMore: false }
  const { changes, next, hasMore } = await source.listChanges(place, limit)
  const steps: Step[] = []
  for (const change of changes) {
    if (change.kind === 'reset') return { kind: 'lost' }
    const { sequence, offset } = change.place
    steps.push({ id: `msg_${sequence}-${offset}`, change, progress: { place: change.place, spans: {} } })
  }
  return { kind: 'steps', steps, end: { place: next, spans: {} }, hasMore }
}

/** The records of the first span that has some left; null if no span has. */
async function readSpans(
  source: Source,
  { place, spans }: Progress,
  round: number,
  limit: number,
): Promise<Steps | null> {
  const ends = new Map((await source.listChainEnds()).map((end) => [end.chainId, end]))
  const open = place === null ? [...ends.values()] : []
  const all: Progress['spans'] = {
    ...spans,
    ...Object.fromEntries(open.map((end) => [end.chainId, openSpan(spans[end.chainId], end)])),
  }
  for (const [chain, span] of Object.entries(all)) {
    const chainId = Number(chain)
    const upTo = span.upTo ?? ends.get(chainId)?.final ?? -1
    if (span.after >= upTo) continue
    const { changes, next, hasMore } = await source.listRecordsBetween(
      chainId,
      { after: span.after, settledAfter: span.settledAfter, upTo },
      limit,
    )
    const at = ({ after, settledAfter }: SpanPlace): Progress => ({
      place,
      spans: { ...all, [chain]: { ...span, after, settledAfter } },
    })
    let progress = at(span)
    const steps = changes.flatMap((change, index): Step[] => {
      if (change.kind === 'reset') return []
      // One position can have several changes. It counts as reached only after all of them are delivered.
      const { offset } = change.place
      const following = changes[index + 1]
      if (following === undefined) progress = at(next.settledAfter === undefined ? { after: offset } : next)
      else if (following.place.offset !== offset) progress = at({ after: offset })
      return [{ id: `msg_${round}-${change.kind}-${idOf(change)}`, change, progress }]
    })
    return { kind: 'steps', steps, end: at(next), hasMore: hasMore || next.after < upTo }
  }
  return place === null ? { kind: 'steps', steps: [], end: { place, spans: all }, hasMore: false } : null
}

/**
 * The span of final blocks, without an end. A chain that was added after the hook began is reported from its
 * beginning. If a contract is added, the chain is reported again from the contract's first block.
 */
function openSpan(span: RecordSpan | undefined, { contracts }: ChainEnd): RecordSpan {
  const { after = -1, settledAfter, contracts: before = contracts } = span ?? {}
  const known = new Set(before.map((contract) => JSON.stringify(contract)))
  const added = contracts.filter((contract) => !known.has(JSON.stringify(contract)))
  const starts = added.map(({ startBlock }) => eventPosition(startBlock, 0) - 1)
  const first = Math.min(after, ...starts)
  return { after: first, settledAfter: first === after ? settledAfter : undefined, upTo: null, contracts }
}

function idOf(change: RecordChange): string {
  switch (change.kind) {
    case 'attestation':
    case 'revocation':
      return formatCompositeId(change.attestation.key)
    case 'schema':
      return formatCompositeId(change.schema.key)
    case 'anchor':
    case 'revertedAnchor':
      return `${change.anchor.place.chainId}-${change.anchor.place.position}`
    case 'reverted':
      return ''
  }
}
