import { createRandom } from './random.ts'

/**
 * The kinds of events of a chain. A revocation slot with nothing to revoke becomes an anchor, or nothing on Verax. A
 * replacement slot with nothing to replace attests.
 */
export const slotKinds = [
  'signSchema',
  'signAttestation',
  'signRevocation',
  'signAnchor',
  'easSchema',
  'easAttestation',
  'easRevocation',
  'easAnchor',
  'veraxSchema',
  'veraxAttestation',
  'veraxReplacement',
  'veraxRevocation',
  'veraxImport',
  'veraxPortal',
  'veraxContext',
  'veraxPortalRevoked',
  'malformed',
  'agentRegistration',
  'agentLog',
] as const
export type SlotKind = (typeof slotKinds)[number]

/** A number for each kind of event: how many an epoch has, or how many there are up to some block. */
export type EventCounts = Readonly<Record<SlotKind, number>>

/**
 * The density of a chain. An epoch is a run of `blocks` blocks. Every epoch has exactly the events of `events`, in
 * `eventBlocks` of its blocks. The number of records before any block is therefore a product, and an id leads to its
 * record without a table.
 */
export interface EpochShape {
  readonly blocks: number
  readonly eventBlocks: number
  readonly events: EventCounts
}

/** One event's place in its epoch. `nth` counts the events of its kind in the epoch, from 0. */
export interface PlannedSlot {
  readonly offset: number
  readonly logIndex: number
  readonly transactionIndex: number
  readonly kind: SlotKind
  readonly nth: number
}

/** The events of an epoch in their order, as a function of its seed. */
export function planEpoch(seed: number, shape: EpochShape): readonly PlannedSlot[] {
  const random = createRandom(seed)
  const kinds = slotKinds.flatMap((kind) => Array.from({ length: shape.events[kind] }, () => kind))
  shuffle(kinds, random.next)
  const offsets = pickOffsets(shape, random.next)
  const places = kinds
    .map((_, i) => offsets[i] ?? offsets[Math.floor(random.next() * offsets.length)] ?? 0)
    .toSorted((a, b) => a - b)
  const counted = new Map<SlotKind, number>()
  const slots: PlannedSlot[] = []
  for (const [i, kind] of kinds.entries()) {
    const offset = places[i] ?? 0
    const previous = slots.at(-1)
    const sameBlock = previous?.offset === offset ? previous : null
    const nth = counted.get(kind) ?? 0
    counted.set(kind, nth + 1)
    slots.push({
      offset,
      kind,
      nth,
      // Other contracts log in the same blocks, so that our indexes have gaps.
      logIndex:
        sameBlock === null
          ? Math.floor(random.next() * 3)
          : sameBlock.logIndex + logsOf(sameBlock.kind) + gap(random.next()),
      // Several events of one transaction, as batches make them.
      transactionIndex: sameBlock === null ? 0 : sameBlock.transactionIndex + (random.next() < 0.6 ? 1 : 0),
    })
  }
  return slots
}

/** Distinct blocks of the epoch that have events, in any order. */
function pickOffsets({ blocks, eventBlocks }: EpochShape, next: () => number): number[] {
  if (eventBlocks * 2 > blocks) {
    const all = Array.from({ length: blocks }, (_, i) => i)
    shuffle(all, next)
    return all.slice(0, eventBlocks)
  }
  const picked = new Set<number>()
  while (picked.size < eventBlocks) picked.add(Math.floor(next() * blocks))
  return [...picked]
}

/** A replacement makes a record, revokes another, and says so; a registration mints, registers, and sets a wallet. */
function logsOf(kind: SlotKind): number {
  return kind === 'veraxReplacement' || kind === 'agentRegistration' ? 3 : 1
}

function gap(fraction: number): number {
  return fraction < 0.8 ? 0 : Math.floor(fraction * 10) - 7
}

function shuffle<T>(items: T[], next: () => number): void {
  for (let i = items.length - 1; i > 0; i--) {
    const j = Math.floor(next() * (i + 1))
    const [a, b] = [items[i], items[j]]
    if (a === undefined || b === undefined) continue
    items[i] = b
    items[j] = a
  }
}
