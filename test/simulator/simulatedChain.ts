import { makeAgentLog, makeRegistration } from './makeAgents.ts'
import {
  accountOf,
  makeAnchor,
  makeEasAttestation,
  makeEasSchema,
  makeReason,
  makeSignAttestation,
  makeSignSchema,
  makeVeraxAttestation,
  makeVeraxContext,
  makeVeraxImport,
  makeVeraxPortal,
  makeVeraxSchema,
  isRevocablePortal,
  veraxId,
  nameSchemaUid,
  type RecordSurroundings,
} from './makeRecords.ts'
import { planEpoch, slotKinds, type EpochShape, type EventCounts, type SlotKind } from './planEpoch.ts'
import { createRandom, mixSeeds } from './random.ts'
import { openHash, sealHash } from './sealedHash.ts'
import type {
  TrueEasAttestation,
  TrueEasSchema,
  TrueEvent,
  TrueSignAttestation,
  TrueSignSchema,
  TrueVeraxAttestation,
  TrueVeraxPortal,
  TrueVeraxSchema,
} from './trueRecords.ts'

/**
 * A chain with all protocols that exists only as a function of its seed. Blocks, events, records and their revocations
 * are computed on demand from the height. A chain of millions of blocks takes no more memory than one of ten, and the
 * same calls give the same chain. Its only state is one small entry for each reorganisation.
 *
 * Invariants:
 * 1. A block's content is a function of the seed and of the forks at and below it: two views that share a block hash
 *    share all blocks up to it.
 * 2. Ids of Sign Protocol count; after a reorganisation the same ids go to other records. Uids of EAS survive one by
 * half.
 * 3. Nothing happens that the contracts would refuse: no record is revoked twice or refers to one that does not exist.
 */
export interface SimulatedChain {
  readonly seed: number
  readonly chainId: number
  /** Lower case, `0x`. */
  readonly contracts: {
    readonly sign: string
    readonly eas: string
    readonly schemaRegistry: string
    readonly verax: string
    readonly veraxSchemas: string
    readonly veraxPortals: string
    readonly identities: string
    readonly reputation: string
    readonly validations: string
  }
  readonly options: ChainTraits
  /** The chain as it is now. */
  view(): ChainView
  /** The chain as it was some milliseconds ago, by the clock of the options. */
  viewAgo(delayMs: number): ChainView
  /** The number of the newest block. */
  head(): number
  mine(blocks: number): void
  /** Replaces the newest `depth` blocks by `length` others. */
  reorganise(depth: number, length: number): void
  /** Goes back to a branch that it left, and on from there. */
  returnTo(view: ChainView, blocks: number): void
  block(view: ChainView, number: number): SimulatedBlock | null
  /**
   * Whether nobody mined a block of this number, on a chain whose endpoints have null rounds: about one in two of the
   * blocks without events.
   */
  isNullRound(view: ChainView, number: number): boolean
  /** The number of the block with this hash; null if it is no block of the view. */
  numberOf(view: ChainView, hash: string): number | null
  /** The sender of a transaction, 40 digits; null if the view does not have the transaction. */
  senderOf(view: ChainView, transactionHash: string): string | null
  /** All events of the blocks, in their order. */
  events(view: ChainView, fromBlock: number, toBlock: number): readonly TrueEvent[]
  /** How many events of each kind there are up to a block; revocations and anchors by their slots. */
  countsAt(view: ChainView, block: number): EventCounts
  /** How many events of a kind there are now. */
  count(kind: TrueEvent['kind']): number
  signSchema(view: ChainView, id: number, atBlock: number): Dated<TrueSignSchema> | null
  signAttestation(view: ChainView, id: number, atBlock: number): Revocable<TrueSignAttestation> | null
  easSchema(view: ChainView, uid: string, atBlock: number): Dated<TrueEasSchema> | null
  easAttestation(view: ChainView, uid: string, atBlock: number): Revocable<TrueEasAttestation> | null
  veraxAttestation(view: ChainView, id: string, atBlock: number): Replaceable<TrueVeraxAttestation> | null
  /** With the context that it has at the block. */
  veraxSchema(view: ChainView, id: string, atBlock: number): Dated<TrueVeraxSchema> | null
  /** By the digits of its address. */
  veraxPortal(view: ChainView, portal: string, atBlock: number): Dated<TrueVeraxPortal> | null
}

/** One state of fork choice: up to which block, and which fork holds from which block on. */
export interface ChainView {
  readonly head: number
  readonly segments: readonly Segment[]
}

interface Segment {
  readonly fork: number
  readonly fromBlock: number
  /** Numbers of events before `fromBlock`. */
  readonly before: EventCounts
}

export interface SimulatedBlock {
  readonly number: number
  readonly hash: string
  readonly parentHash: string
  readonly timestamp: number
}

export interface Dated<Item> {
  readonly record: Item
  /** The time of the block that made it. */
  readonly timestamp: number
}

export interface Revocable<Item> extends Dated<Item> {
  /** The time of the block that revoked it, up to the block asked for; null while none did. */
  readonly revokedAt: number | null
}

export interface Replaceable<Item> extends Revocable<Item> {
  /** The id of the record in its place, up to the block asked for. */
  readonly replacedBy: string | null
}

/** The traits of a chain. */
export interface ChainTraits {
  readonly shape: EpochShape
  /** Seconds between blocks; may be a fraction. */
  readonly blockTime: number
  readonly genesisTimestamp: number
  /** How many accounts attestations are made to. */
  readonly recipientAccounts: number
  /** Whether some records cannot be read back from the contract. */
  readonly hasUnreadable: boolean
  /** Whether payloads are encoded by the fields of their schemas, three in four. */
  readonly hasPayloads: boolean
  /** Blocks below this one carry the events of version 1.0 of Sign Protocol. */
  readonly legacySignBelow: number
  /** Below this block the registry of Verax makes imported records without a log. */
  readonly veraxSilentBelow: number
  /** Whether the registry of EAS says with its event what was registered. */
  readonly registersWithRecord: boolean
}

export interface SimulatedChainOptions extends Partial<ChainTraits> {
  readonly seed: number
  readonly chainId?: number
  /** Blocks that it has from the beginning, beside block 0. */
  readonly blocks?: number
  /** The clock that `viewAgo` goes by. */
  readonly nowMs?: () => number
  /** Epochs that are kept worked out (2,000), since their logs are asked for first and their records right after. */
  readonly epochsKept?: number
}

/** The shape of a chain with only Sign Protocol. It has one schema to ten attestations, and more of the rest. */
export function signShape(shape: {
  readonly blocks: number
  readonly eventBlocks: number
  readonly attestations: number
}): EpochShape {
  const tenth = Math.ceil(shape.attestations / 10)
  return {
    blocks: shape.blocks,
    eventBlocks: shape.eventBlocks,
    events: {
      ...noEvents,
      signAttestation: shape.attestations,
      signSchema: tenth,
      signRevocation: tenth,
      signAnchor: tenth,
    },
  }
}

export const noEvents: EventCounts = {
  signSchema: 0,
  signAttestation: 0,
  signRevocation: 0,
  signAnchor: 0,
  easSchema: 0,
  easAttestation: 0,
  easRevocation: 0,
  easAnchor: 0,
  veraxSchema: 0,
  veraxAttestation: 0,
  veraxReplacement: 0,
  veraxRevocation: 0,
  veraxImport: 0,
  veraxPortal: 0,
  veraxContext: 0,
  veraxPortalRevoked: 0,
  malformed: 0,
  agentRegistration: 0,
  agentLog: 0,
}

/** Only events of Sign Protocol, moderately dense. */
export const usualShape: EpochShape = signShape({ blocks: 32, eventBlocks: 13, attestations: 20 })

/** After how many epochs a revocation slot revokes, by its number. */
const revocationLags = [0, 0, 1, 3, 9]
/** Views that are remembered for endpoints that lag behind. */
const viewsKept = 500

/** One event's place on one fork. */
interface Slot {
  readonly fork: number
  readonly block: number
  readonly logIndex: number
  readonly transactionIndex: number
  readonly kind: SlotKind
  /** Its number among events of its kind on the chain, from 1. */
  readonly ordinal: number
  /** Numbers of events before this one. */
  readonly before: EventCounts
  events: readonly TrueEvent[] | null
}

type Protocol = 'sign' | 'eas' | 'verax'

const veraxKinds = slotKinds.filter((kind) => kind.startsWith('verax'))

/** The attestations of Verax that the counts hold, however they were made. */
function veraxNumbers({ veraxAttestation, veraxReplacement, veraxImport }: EventCounts): number {
  return veraxAttestation + veraxReplacement + veraxImport
}

export function createSimulatedChain(given: SimulatedChainOptions): SimulatedChain {
  const { seed, chainId = 31_337, nowMs = () => Date.now(), epochsKept = 2_000 } = given
  const options: ChainTraits = {
    shape: usualShape,
    blockTime: 12,
    genesisTimestamp: 1_700_000_000,
    recipientAccounts: 40,
    hasUnreadable: false,
    hasPayloads: false,
    legacySignBelow: 0,
    veraxSilentBelow: 0,
    registersWithRecord: true,
    ...given,
  }
  const { shape, blockTime } = options
  const hasEas = shape.events.easSchema + shape.events.easAttestation + shape.events.easAnchor > 0
  const hasVerax = veraxKinds.some((kind) => shape.events[kind] > 0)
  /** Up to v9 a replacement makes the new record first, from v10 on it revokes the old one first. */
  const revokesFirst = createRandom(mixSeeds(seed, 79)).chance(0.5)
  const contracts = {
    sign: `0x${accountOf(mixSeeds(seed, 0xc0), 0)}`,
    eas: `0x${accountOf(mixSeeds(seed, 0xc1), 0)}`,
    schemaRegistry: `0x${accountOf(mixSeeds(seed, 0xc2), 0)}`,
    verax: `0x${accountOf(mixSeeds(seed, 0xc3), 0)}`,
    veraxSchemas: `0x${accountOf(mixSeeds(seed, 0xc4), 0)}`,
    veraxPortals: `0x${accountOf(mixSeeds(seed, 0xc5), 0)}`,
    identities: `0x${accountOf(mixSeeds(seed, 0xc6), 0)}`,
    reputation: `0x${accountOf(mixSeeds(seed, 0xc7), 0)}`,
    validations: `0x${accountOf(mixSeeds(seed, 0xc8), 0)}`,
  }
  /** The events of block 1: a schema for each protocol, so that every attestation has one. */
  const firstCounts: EventCounts = {
    ...noEvents,
    signSchema: 1,
    easSchema: hasEas ? 1 : 0,
    veraxSchema: hasVerax ? 1 : 0,
  }
  const epochs = new Map<string, readonly Slot[]>()
  const firstSegment: Segment = { fork: 0, fromBlock: 2, before: firstCounts }
  let current: ChainView = { head: given.blocks ?? 0, segments: [firstSegment] }
  let history: { readonly atMs: number; readonly view: ChainView }[] = []
  let forkCount = 1
  setView(current)

  function setView(view: ChainView): void {
    current = view
    history.push({ atMs: nowMs(), view })
    if (history.length > viewsKept) history = history.slice(viewsKept / 2)
  }

  function segmentIndexOf(view: ChainView, number: number): number {
    return Math.max(
      0,
      view.segments.findLastIndex((segment) => segment.fromBlock <= number),
    )
  }

  function forkOf(view: ChainView, number: number): number {
    const segment = view.segments[segmentIndexOf(view, number)]
    return segment === undefined || number < segment.fromBlock ? 0 : segment.fork
  }

  function hashOf(view: ChainView, number: number): string {
    return sealHash(seed, { kind: 'block', fork: forkOf(view, number), number, index: chainId })
  }

  function timestampOf(fork: number, number: number): number {
    // On slow chains, forks differ in their times too.
    return options.genesisTimestamp + Math.floor(number * blockTime) + (blockTime >= 2 ? fork % 2 : 0)
  }

  function reorganise(depth: number, length: number): void {
    const fromBlock = current.head - depth + 1
    if (fromBlock < 2) throw new RangeError(`a chain of ${current.head} blocks cannot lose ${depth}`)
    const segment = { fork: forkCount++, fromBlock, before: countsAt(current, fromBlock - 1) }
    const kept = current.segments.filter((each) => each.fromBlock < fromBlock)
    setView({ head: fromBlock - 1 + length, segments: [...kept, segment] })
  }

  function countsAt(view: ChainView, number: number): EventCounts {
    if (number < 1) return noEvents
    const segment = view.segments[segmentIndexOf(view, number)]
    if (segment === undefined || number < segment.fromBlock) return firstCounts
    const index = Math.floor((number - segment.fromBlock) / shape.blocks)
    const slots = epochSlots(segment, index)
    const next = slots.find((slot) => slot.block > number)
    return next?.before ?? countsOfEpochs(segment, index + 1)
  }

  function countsOfEpochs(segment: Segment, epochCount: number): EventCounts {
    const counts: Record<SlotKind, number> = { ...segment.before }
    for (const kind of slotKinds) counts[kind] += epochCount * shape.events[kind]
    return counts
  }

  /** The slots of an epoch of a segment, whether or not the segment reaches so far. */
  function epochSlots(segment: Segment, index: number): readonly Slot[] {
    const key = `${segment.fork}:${index}`
    const known = epochs.get(key)
    if (known !== undefined) return known
    const counts: Record<SlotKind, number> = { ...countsOfEpochs(segment, index) }
    const slots = planEpoch(mixSeeds(seed, chainId, segment.fork, index), shape).map((planned): Slot => {
      const before = { ...counts }
      counts[planned.kind]++
      return {
        fork: segment.fork,
        block: segment.fromBlock + index * shape.blocks + planned.offset,
        logIndex: planned.logIndex,
        transactionIndex: planned.transactionIndex,
        kind: planned.kind,
        ordinal: counts[planned.kind],
        before,
        events: null,
      }
    })
    epochs.set(key, slots)
    for (const oldest of epochs.keys()) {
      if (epochs.size <= epochsKept) break
      epochs.delete(oldest)
    }
    return slots
  }

  const firstSlots: readonly Slot[] = (['signSchema', 'easSchema', 'veraxSchema'] as const)
    .filter((kind) => firstCounts[kind] > 0)
    .map((kind, logIndex): Slot => ({
      fork: 0,
      block: 1,
      logIndex,
      transactionIndex: logIndex,
      kind,
      ordinal: 1,
      before: noEvents,
      events: null,
    }))

  function* slotsBetween(view: ChainView, fromBlock: number, toBlock: number): Generator<Slot> {
    const last = Math.min(toBlock, view.head)
    if (fromBlock <= 1 && last >= 1) yield* firstSlots
    for (const [i, segment] of view.segments.entries()) {
      const end = Math.min(last, (view.segments[i + 1]?.fromBlock ?? Number.POSITIVE_INFINITY) - 1)
      const begin = Math.max(fromBlock, segment.fromBlock)
      if (begin > end) continue
      const firstEpoch = Math.floor((begin - segment.fromBlock) / shape.blocks)
      const lastEpoch = Math.floor((end - segment.fromBlock) / shape.blocks)
      for (let index = firstEpoch; index <= lastEpoch; index++) {
        for (const slot of epochSlots(segment, index))
          if (slot.block >= begin && slot.block <= end) yield slot
      }
    }
  }

  /** The slot of the record with a number, and the segment that holds it; null if the view does not reach it. */
  function findSlot(view: ChainView, kind: SlotKind, ordinal: number): Slot | null {
    if (!Number.isSafeInteger(ordinal) || ordinal < 1) return null
    if (ordinal <= firstCounts[kind]) {
      return view.head >= 1 ? (firstSlots.find((slot) => slot.kind === kind) ?? null) : null
    }
    const { segment } = holderOf(view, kind, ordinal)
    const perEpoch = shape.events[kind]
    if (segment === undefined || perEpoch === 0) return null
    const rank = ordinal - 1 - segment.before[kind]
    const index = Math.floor(rank / perEpoch)
    if (segment.fromBlock + index * shape.blocks > view.head) return null
    const slot = epochSlots(segment, index).find((each) => each.kind === kind && each.ordinal === ordinal)
    return slot === undefined || slot.block > view.head ? null : slot
  }

  function holderOf(view: ChainView, kind: SlotKind, ordinal: number) {
    const index = view.segments.findLastIndex((segment) => segment.before[kind] < ordinal)
    return { index, segment: view.segments[index] }
  }

  function surroundings(slot: Slot, protocol: Protocol): RecordSurroundings {
    return {
      schemas: slot.before[`${protocol}Schema`],
      attestations: slot.before[`${protocol}Attestation`],
      timestamp: timestampOf(slot.fork, slot.block),
      blockTime: Math.ceil(blockTime),
      recipientAccounts: options.recipientAccounts,
      hasPayloads: options.hasPayloads,
    }
  }

  /**
   * Half of the records of EAS are the same on every fork that makes them, as those of transactions that are mined
   * again.
   */
  function contentFork(slot: Slot): number {
    return createRandom(mixSeeds(seed, 77, slot.fork, slot.ordinal)).chance(0.5) ? slot.fork : 0
  }

  function uidOf(slot: Slot): string {
    if (slot.kind === 'easSchema' && slot.ordinal === 1) return nameSchemaUid
    const kind = slot.kind === 'easSchema' ? 'easSchema' : 'easAttestation'
    return sealHash(seed, { kind, fork: contentFork(slot), number: slot.ordinal, index: 0 })
  }

  /** The slot of an EAS record by its uid. */
  function findUid(view: ChainView, kind: 'easSchema' | 'easAttestation', uid: string): Slot | null {
    const sealed = openHash(seed, uid)
    const ordinal = uid === nameSchemaUid ? 1 : sealed?.kind === kind ? sealed.number : 0
    const slot = findSlot(view, kind, ordinal)
    return slot !== null && uidOf(slot) === uid ? slot : null
  }

  function numberOf({ before }: Slot): number {
    return veraxNumbers(before) + 1
  }

  /** The slot of the attestation of Verax with a number; attestations, replacements and imports share the numbers. */
  function findNumbered(view: ChainView, number: number): Slot | null {
    if (!Number.isSafeInteger(number) || number < 1) return null
    const segment = view.segments.findLast((each) => veraxNumbers(each.before) < number)
    const perEpoch = veraxNumbers(shape.events)
    if (segment === undefined || perEpoch === 0) return null
    const index = Math.floor((number - 1 - veraxNumbers(segment.before)) / perEpoch)
    if (segment.fromBlock + index * shape.blocks > view.head) return null
    const slot = epochSlots(segment, index).find(
      (each) => /^verax(?:Attestation|Replacement|Import)$/.test(each.kind) && numberOf(each) === number,
    )
    return slot === undefined || slot.block > view.head ? null : slot
  }

  /** Of every other schema it is what a schema of EAS of the same number has, where they are of one fork. */
  function veraxSchemaId(slot: Slot): string {
    const kind = slot.ordinal % 2 === 0 ? 'easSchema' : 'veraxSchema'
    return sealHash(seed, { kind, fork: contentFork(slot), number: slot.ordinal, index: 0 })
  }

  /** The events of a slot, in a view that holds it. */
  function eventsOf(view: ChainView, slot: Slot): readonly TrueEvent[] {
    slot.events ??= makeEvents(view, slot)
    return slot.events
  }

  function firstEventOf(view: ChainView, slot: Slot): TrueEvent {
    const [event] = eventsOf(view, slot)
    if (event === undefined) throw new TypeError(`a slot of the kind ${slot.kind} is empty`)
    return event
  }

  function makeEvents(view: ChainView, slot: Slot): readonly TrueEvent[] {
    switch (slot.kind) {
      case 'veraxAttestation':
      case 'veraxReplacement': {
        const replaced = slot.kind === 'veraxReplacement' ? targetOf(view, slot, 'verax') : null
        return makeVeraxEvents(view, slot, replaced === null ? null : veraxId(numberOf(replaced)))
      }
      case 'veraxRevocation': {
        const target = targetOf(view, slot, 'verax')
        if (target === null) return []
        const id = veraxId(numberOf(target))
        return [{ ...baseOf(slot), kind: 'veraxRevocation', id, replacedBy: null }]
      }
      case 'veraxImport': {
        const number = numberOf(slot)
        const around = surroundings(slot, 'verax')
        const record = makeVeraxImport(seed, slot.fork, number, around, (nth) => veraxSchemaOf(view, nth))
        return slot.block < options.veraxSilentBelow
          ? [{ ...baseOf(slot), kind: 'veraxImport', number, record }]
          : [{ ...baseOf(slot), kind: 'veraxAttestation', record }]
      }
      case 'agentRegistration': {
        const base = baseOf(slot)
        const logs = makeRegistration(seed, slot.fork, slot.ordinal)
        return logs.map((log, place) => ({ ...base, logIndex: base.logIndex + place, kind: 'agent', log }))
      }
      case 'agentLog': {
        const log = makeAgentLog(seed, slot.fork, slot.ordinal, slot.before.agentRegistration)
        return [{ ...baseOf(slot), kind: 'agent', log }]
      }
      default:
        return [makeEvent(view, slot)]
    }
  }

  /** An attestation, and the revocation of the one that it replaces. */
  function makeVeraxEvents(view: ChainView, slot: Slot, replaces: string | null): readonly TrueEvent[] {
    const schemaOf = (nth: number) => veraxSchemaOf(view, nth)
    const around = surroundings(slot, 'verax')
    const record = makeVeraxAttestation(seed, slot.fork, numberOf(slot), around, schemaOf, replaces)
    const base = baseOf(slot)
    const at = (place: number) => ({ ...base, logIndex: base.logIndex + place })
    if (replaces === null) return [{ ...base, kind: 'veraxAttestation', record }]
    const link = { id: replaces, replacedBy: record.id }
    const made = (place: number): TrueEvent => ({ ...at(place), kind: 'veraxAttestation', record })
    const revoked = (place: number): TrueEvent => ({ ...at(place), kind: 'veraxRevocation', ...link })
    return [
      ...(revokesFirst ? [revoked(0), made(1)] : [made(0), revoked(1)]),
      { ...at(2), kind: 'veraxReplaced', ...link },
    ]
  }

  function baseOf({ fork, block, logIndex, transactionIndex }: Slot) {
    return {
      block,
      logIndex,
      transactionIndex,
      transactionHash: sealHash(seed, { kind: 'transaction', fork, number: block, index: transactionIndex }),
      timestamp: timestampOf(fork, block),
    }
  }

  function makeEvent(view: ChainView, slot: Slot): TrueEvent {
    const { fork, ordinal } = slot
    const base = baseOf(slot)
    switch (slot.kind) {
      case 'veraxAttestation':
      case 'veraxReplacement':
      case 'veraxRevocation':
      case 'veraxImport':
      case 'agentRegistration':
      case 'agentLog':
        throw new TypeError(`${slot.kind} has other events`)
      case 'veraxSchema': {
        const record = makeVeraxSchema(seed, contentFork(slot), ordinal, veraxSchemaId(slot))
        return { ...base, kind: slot.kind, record }
      }
      case 'veraxPortal':
        return { ...base, kind: slot.kind, record: makeVeraxPortal(seed, fork, ordinal) }
      case 'veraxPortalRevoked':
        return { ...base, kind: slot.kind, portal: accountOf(seed, 39 + revokedPortal(slot)) }
      case 'veraxContext': {
        const schema = requireSlot(view, 'veraxSchema', contextTarget(slot))
        const context = makeVeraxContext(seed, fork, ordinal)
        return { ...base, kind: slot.kind, schemaId: veraxSchemaId(schema), context }
      }
      case 'signSchema':
        return { ...base, kind: slot.kind, id: ordinal, record: makeSignSchema(seed, fork, ordinal) }
      case 'signAttestation': {
        const record = makeSignAttestation(seed, fork, ordinal, surroundings(slot, 'sign'))
        const unreadable = options.hasUnreadable && record.unreadable
        return { ...base, kind: slot.kind, id: ordinal, record: { ...record, unreadable } }
      }
      case 'easSchema': {
        const record = makeEasSchema(seed, contentFork(slot), ordinal, uidOf(slot))
        return { ...base, kind: slot.kind, record }
      }
      case 'easAttestation': {
        const record = makeEasAttestation(
          seed,
          contentFork(slot),
          ordinal,
          uidOf(slot),
          surroundings(slot, 'eas'),
          (nth) => easSchemaOf(view, requireSlot(view, 'easSchema', nth)),
          (nth) => uidOf(requireSlot(view, 'easAttestation', nth)),
        )
        return { ...base, kind: slot.kind, record }
      }
      case 'signRevocation':
      case 'easRevocation':
        return makeRevocation(view, slot, base)
      case 'signAnchor':
      case 'easAnchor': {
        const protocol = slot.kind === 'signAnchor' ? 'sign' : 'eas'
        return { ...base, kind: 'anchor', anchor: makeAnchor(seed, protocol, fork, ordinal) }
      }
      case 'malformed': {
        const random = createRandom(mixSeeds(seed, 78, fork, ordinal))
        const protocol = hasEas && random.chance(0.5) ? 'eas' : 'sign'
        return { ...base, kind: 'malformed', protocol, noise: random.digits(9) }
      }
    }
  }

  /** The ordinal of the schema that a slot gives a context to: one of few, so that schemas get several. */
  function contextTarget({ fork, ordinal, before }: Slot): number {
    return createRandom(mixSeeds(seed, 80, fork, ordinal)).integer(1, Math.min(3, before.veraxSchema))
  }

  /** The ordinal of the portal that a slot revokes: one of few that are registered. */
  function revokedPortal({ fork, ordinal, before }: Slot): number {
    return createRandom(mixSeeds(seed, 81, fork, ordinal)).integer(
      1,
      Math.max(1, Math.min(3, before.veraxPortal)),
    )
  }

  function makeRevocation(
    view: ChainView,
    slot: Slot,
    base: Pick<TrueEvent, 'block' | 'logIndex' | 'transactionIndex' | 'transactionHash' | 'timestamp'>,
  ): TrueEvent {
    const protocol = slot.kind === 'signRevocation' ? 'sign' : 'eas'
    const target = targetOf(view, slot, protocol)
    if (target === null) {
      // Numbers of anchors proper begin at 1.
      const anchor = makeAnchor(seed, protocol, slot.fork, -slot.ordinal)
      return { ...base, kind: 'anchor', anchor }
    }
    if (protocol === 'sign') {
      const reason = makeReason(seed, target.ordinal)
      return { ...base, kind: 'signRevocation', id: target.ordinal, reason }
    }
    return { ...base, kind: 'easRevocation', record: easAttestationOf(view, target) }
  }

  /**
   * The attestation that a revocation slot revokes. Slot n of an epoch belongs to attestation n of the epoch `lag`
   * earlier in the same segment. If that epoch lies before the segment, each slot belongs to a different one of the
   * newest attestations below the segment. Few slots may therefore revoke a given attestation, and the first one after
   * it does.
   */
  function targetOf(view: ChainView, slot: Slot, protocol: Protocol): Slot | null {
    const { index: at, segment } = segmentOfSlot(view, slot)
    if (segment === undefined) return null
    const kind = `${protocol}Attestation` as const
    const rank = slot.ordinal - 1 - segment.before[slot.kind]
    const perEpoch = shape.events[slot.kind]
    const epoch = Math.floor(rank / perEpoch)
    const nth = rank % perEpoch
    const lag = revocationLags[nth % revocationLags.length] ?? 0
    const made = segment.before[kind]
    const ordinal =
      epoch >= lag
        ? nth < shape.events[kind]
          ? made + (epoch - lag) * shape.events[kind] + nth + 1
          : 0
        : made - (epoch * perEpoch + nth)
    if (ordinal < 1 || at < 0) return null
    const target = findSlot(view, kind, ordinal)
    if (target === null || !isAfter(slot, target)) return null
    // Not the same object where the slots of its epoch have been forgotten and made again.
    const revoking = findRevocation(view, target, protocol)
    return revoking?.block === slot.block && revoking.logIndex === slot.logIndex ? target : null
  }

  function segmentOfSlot(view: ChainView, slot: Slot) {
    const index = view.segments.findLastIndex((segment) => segment.fromBlock <= slot.block)
    return { index, segment: view.segments[index] }
  }

  /** The slot that revokes an attestation in a view; null if none does. */
  function findRevocation(view: ChainView, target: Slot, protocol: Protocol): Slot | null {
    if (!isRevocable(view, target, protocol)) return null
    const kind = `${protocol}Attestation` as const
    // Every other attestation of Verax may be replaced, and is never revoked else.
    const isReplaced = protocol === 'verax' && target.ordinal % 2 === 0
    const revocationKind = isReplaced ? 'veraxReplacement' : (`${protocol}Revocation` as const)
    const perEpoch = shape.events[revocationKind]
    const made = shape.events[kind]
    const { index: own, segment: home } = holderOf(view, kind, target.ordinal)
    if (home === undefined) return null
    let earliest: Slot | null = null
    const consider = (segment: Segment, at: number, epoch: number, nth: number) => {
      const from = segment.fromBlock + epoch * shape.blocks
      if (from > view.head) return
      const end = (view.segments[at + 1]?.fromBlock ?? Number.POSITIVE_INFINITY) - 1
      const ordinal = segment.before[revocationKind] + epoch * perEpoch + nth + 1
      const slot = epochSlots(segment, epoch).find(
        (each) => each.kind === revocationKind && each.ordinal === ordinal,
      )
      if (slot === undefined || slot.block > view.head || slot.block > end || !isAfter(slot, target)) return
      if (earliest === null || isAfter(earliest, slot)) earliest = slot
    }
    const rank = target.ordinal - 1 - home.before[kind]
    const nth = rank % made
    if (nth < perEpoch) {
      const lag = revocationLags[nth % revocationLags.length] ?? 0
      consider(home, own, Math.floor(rank / made) + lag, nth)
    }
    for (const [at, segment] of view.segments.entries()) {
      if (at <= own) continue
      const behind = segment.before[kind] - target.ordinal
      const epoch = Math.floor(behind / perEpoch)
      const slotNth = behind % perEpoch
      if (epoch < (revocationLags[slotNth % revocationLags.length] ?? 0))
        consider(segment, at, epoch, slotNth)
    }
    return earliest
  }

  function isRevocable(view: ChainView, target: Slot, protocol: Protocol): boolean {
    if (protocol === 'verax') return isRevocablePortal(veraxAttestationOf(view, target).portal)
    if (protocol === 'sign') {
      const { schemaId, bornRevokedAt } = signAttestationOf(view, target)
      if (bornRevokedAt !== null) return false
      return signSchemaOf(view, requireSlot(view, 'signSchema', schemaId)).revocable
    }
    const { schemaUid, revocable } = easAttestationOf(view, target)
    const schema = findUid(view, 'easSchema', schemaUid)
    return revocable && schema !== null && easSchemaOf(view, schema).revocable
  }

  function requireSlot(view: ChainView, kind: SlotKind, ordinal: number): Slot {
    const slot = findSlot(view, kind, ordinal)
    if (slot === null) throw new RangeError(`the chain has no ${kind} ${ordinal} at block ${view.head}`)
    return slot
  }

  function signSchemaOf(view: ChainView, slot: Slot): TrueSignSchema {
    const event = firstEventOf(view, slot)
    if (event.kind !== 'signSchema') throw new TypeError(`a slot of schemas holds a ${event.kind}`)
    return event.record
  }

  function signAttestationOf(view: ChainView, slot: Slot): TrueSignAttestation {
    const event = firstEventOf(view, slot)
    if (event.kind !== 'signAttestation') throw new TypeError(`a slot of attestations holds a ${event.kind}`)
    return event.record
  }

  function easSchemaOf(view: ChainView, slot: Slot): TrueEasSchema {
    const event = firstEventOf(view, slot)
    if (event.kind !== 'easSchema') throw new TypeError(`a slot of schemas holds a ${event.kind}`)
    return event.record
  }

  function easAttestationOf(view: ChainView, slot: Slot): TrueEasAttestation {
    const event = firstEventOf(view, slot)
    if (event.kind !== 'easAttestation') throw new TypeError(`a slot of attestations holds a ${event.kind}`)
    return event.record
  }

  function veraxAttestationOf(view: ChainView, slot: Slot): TrueVeraxAttestation {
    const made = eventsOf(view, slot).find(
      (event) => event.kind === 'veraxAttestation' || event.kind === 'veraxImport',
    )
    if (made === undefined) throw new TypeError(`a slot of attestations holds none`)
    return made.record
  }

  function veraxSchemaOf(view: ChainView, nth: number): TrueVeraxSchema {
    const event = firstEventOf(view, requireSlot(view, 'veraxSchema', nth))
    if (event.kind !== 'veraxSchema') throw new TypeError(`a slot of schemas holds a ${event.kind}`)
    return event.record
  }

  function dated<Item>(slot: Slot, record: Item): Dated<Item> {
    return { record, timestamp: timestampOf(slot.fork, slot.block) }
  }

  function revocable<Item>(
    view: ChainView,
    slot: Slot,
    protocol: Protocol,
    record: Item,
    atBlock: number,
  ): Revocable<Item> {
    const revocation = findRevocation(view, slot, protocol)
    const isRevoked = revocation !== null && revocation.block <= atBlock
    const revokedAt = isRevoked ? timestampOf(revocation.fork, revocation.block) : null
    return { ...dated(slot, record), revokedAt }
  }

  /** The slot where it stands at or below a block. */
  function upTo(slot: Slot | null, atBlock: number): Slot | null {
    return slot === null || slot.block > atBlock ? null : slot
  }

  return {
    seed,
    chainId,
    contracts,
    options,
    view: () => current,
    viewAgo: (delayMs) => {
      const atMs = nowMs() - delayMs
      return (history.findLast((entry) => entry.atMs <= atMs) ?? history[0])?.view ?? current
    },
    head: () => current.head,
    mine: (blocks) => setView({ ...current, head: current.head + blocks }),
    reorganise,
    returnTo: (view, blocks) => setView({ ...view, head: view.head + blocks }),
    block(view, number) {
      if (number < 0 || number > view.head) return null
      const parentHash = number === 0 ? `0x${'0'.repeat(64)}` : hashOf(view, number - 1)
      return {
        number,
        hash: hashOf(view, number),
        parentHash,
        timestamp: timestampOf(forkOf(view, number), number),
      }
    },
    isNullRound: (view, number) =>
      number > 1 &&
      createRandom(mixSeeds(seed, 0x2011, forkOf(view, number), number)).chance(0.5) &&
      [...slotsBetween(view, number, number)].length === 0,
    numberOf(view, hash) {
      const sealed = openHash(seed, hash)
      if (sealed?.kind !== 'block' || sealed.index !== chainId || sealed.number > view.head) return null
      return forkOf(view, sealed.number) === sealed.fork ? sealed.number : null
    },
    senderOf(view, transactionHash) {
      const sealed = openHash(seed, transactionHash)
      if (sealed?.kind !== 'transaction' || sealed.number > view.head) return null
      if (forkOf(view, sealed.number) !== sealed.fork) return null
      return accountOf(seed, 30 + ((sealed.number + sealed.index) % 7))
    },
    events: (view, fromBlock, toBlock) =>
      [...slotsBetween(view, fromBlock, toBlock)].flatMap((slot) => eventsOf(view, slot)),
    countsAt,
    count(kind) {
      if (kind === 'signSchema' || kind === 'signAttestation') return countsAt(current, current.head)[kind]
      return [...slotsBetween(current, 0, current.head)]
        .flatMap((slot) => eventsOf(current, slot))
        .filter((event) => event.kind === kind).length
    },
    signSchema(view, id, atBlock) {
      const slot = upTo(findSlot(view, 'signSchema', id), atBlock)
      return slot === null ? null : dated(slot, signSchemaOf(view, slot))
    },
    signAttestation(view, id, atBlock) {
      const slot = upTo(findSlot(view, 'signAttestation', id), atBlock)
      return slot === null ? null : revocable(view, slot, 'sign', signAttestationOf(view, slot), atBlock)
    },
    easSchema(view, uid, atBlock) {
      const slot = upTo(findUid(view, 'easSchema', uid), atBlock)
      return slot === null ? null : dated(slot, easSchemaOf(view, slot))
    },
    veraxAttestation(view, id, atBlock) {
      const number = Number(BigInt(id) & 0xffff_ffffn)
      const slot = id === veraxId(number) ? upTo(findNumbered(view, number), atBlock) : null
      if (slot === null) return null
      const record = veraxAttestationOf(view, slot)
      // An attestation that replaced another or was imported is never replaced or revoked itself.
      if (slot.kind !== 'veraxAttestation')
        return { ...dated(slot, record), revokedAt: null, replacedBy: null }
      const found = revocable(view, slot, 'verax', record, atBlock)
      const revoking = found.revokedAt === null ? null : findRevocation(view, slot, 'verax')
      const replacedBy = revoking?.kind === 'veraxReplacement' ? veraxId(numberOf(revoking)) : null
      return { ...found, replacedBy }
    },
    veraxSchema(view, id, atBlock) {
      const sealed = openHash(seed, id)
      const slot = sealed === null ? null : upTo(findSlot(view, 'veraxSchema', sealed.number), atBlock)
      if (slot === null || veraxSchemaId(slot) !== id) return null
      const update = [...slotsBetween(view, slot.block, atBlock)].findLast(
        (each) => each.kind === 'veraxContext' && contextTarget(each) === slot.ordinal,
      )
      const updated = update === undefined ? null : firstEventOf(view, update)
      const context = updated?.kind === 'veraxContext' ? { context: updated.context } : {}
      return dated(slot, { ...veraxSchemaOf(view, slot.ordinal), ...context })
    },
    veraxPortal(view, portal, atBlock) {
      const { veraxPortal: known } = countsAt(view, Math.min(atBlock, view.head))
      for (let ordinal = 1; ordinal <= known; ordinal++) {
        if (accountOf(seed, 39 + ordinal) !== portal) continue
        const slot = requireSlot(view, 'veraxPortal', ordinal)
        const isRevoked = [...slotsBetween(view, slot.block, atBlock)].some(
          (each) =>
            each.kind === 'veraxPortalRevoked' &&
            revokedPortal(each) === ordinal &&
            (each.block > slot.block || each.logIndex > slot.logIndex),
        )
        return isRevoked ? null : dated(slot, makeVeraxPortal(seed, slot.fork, ordinal))
      }
      return null
    },
    easAttestation(view, uid, atBlock) {
      const slot = upTo(findUid(view, 'easAttestation', uid), atBlock)
      return slot === null ? null : revocable(view, slot, 'eas', easAttestationOf(view, slot), atBlock)
    },
  }
}

function isAfter(a: Slot, b: Slot): boolean {
  return a.block > b.block || (a.block === b.block && a.logIndex > b.logIndex)
}
