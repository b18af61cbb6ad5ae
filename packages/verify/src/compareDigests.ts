import type { ChainId } from '@attestry/core/model/compositeId.ts'
import type { IndexedContract } from '@attestry/core/model/indexedContract.ts'
import type { ChainDigest, DigestedEvent } from '@attestry/core/index/storedRecords.ts'
import { pairEvents } from './pairEvents.ts'

/** An index that gives digests of its chains: this one, or that of another service. */
export interface DigestSource {
  /** The digest at a block, or the newest where `block` is null. */
  findDigest(chainId: ChainId, block: number | null, signal: AbortSignal): Promise<ToldDigest | NoDigest>
}

export interface ToldDigest {
  readonly kind: 'told'
  readonly digest: ChainDigest
  readonly contracts: readonly Pick<
    IndexedContract,
    'protocol' | 'address' | 'schemaRegistry' | 'startBlock'
  >[]
  /** The events of the digest's block. */
  readonly events: readonly ToldEvent[]
}

/** An event of a block; `id`: the composite id of the record that the event makes, revokes or names. */
export type ToldEvent = Pick<DigestedEvent, 'type' | 'eventIndex'> & {
  readonly id: string | null
  readonly digest: string
}

export interface NoDigest {
  readonly kind: 'none'
  readonly reason: string
}

/** A finding of the comparison of a chain. */
export type DigestFinding =
  | { readonly kind: 'unasked'; readonly chainId: ChainId; readonly reason: string }
  | {
      readonly kind: 'agreed'
      readonly chainId: ChainId
      readonly upToBlock: number
      readonly events: number
    }
  /** An event of the first block at which the digests differ. */
  | {
      readonly kind: 'disagreement'
      readonly chainId: ChainId
      readonly blockNumber: number
      /** The index that has the event; `both`: both have it, with different members. */
      readonly holder: 'here' | 'there' | 'both'
      readonly event: Omit<ToldEvent, 'digest'>
    }

/** Comparisons of a chain that moves while it is compared. */
const roundsMax = 3

/**
 * Compares a chain in two indexes by their digests, at the lower of their newest blocks. If the digests differ, a
 * binary search finds the first block that differs, and its events are compared. Reports everything that cannot be
 * compared.
 */
export async function compareDigests(
  chainId: ChainId,
  here: DigestSource,
  there: DigestSource,
  signal: AbortSignal,
): Promise<readonly DigestFinding[]> {
  const unasked = (reason: string): DigestFinding[] => [{ kind: 'unasked', chainId, reason }]
  const at = async (block: number | null) => {
    const [ours, theirs] = await Promise.all([
      here.findDigest(chainId, block, signal),
      there.findDigest(chainId, block, signal),
    ])
    return ours.kind === 'none'
      ? ours
      : theirs.kind === 'none'
        ? theirs
        : ({ kind: 'both', ours, theirs } as const)
  }
  let reason = ''
  for (let round = 1; round <= roundsMax; round++) {
    const newest = await at(null)
    if (newest.kind === 'none') return unasked(newest.reason)
    const obstacle = obstacleBetween(newest.ours, newest.theirs)
    if (obstacle !== null) return unasked(obstacle)
    const upToBlock = Math.min(blockOf(newest.ours), blockOf(newest.theirs))
    const first = await findFirstDifference(upToBlock, at)
    if (first.kind === 'equal') return [{ kind: 'agreed', chainId, upToBlock, events: first.events }]
    if (first.kind === 'differs') {
      const found = compareEvents(first.ours.events, first.theirs.events)
      if (found.length > 0) {
        return found.map((each) => ({ kind: 'disagreement', chainId, blockNumber: first.block, ...each }))
      }
      reason =
        `the digests differ at block ${first.block}, but not the events of the block: either the chain is being ` +
        'reorganised, or a digest is damaged; compare again, then run attestry verify in both places'
    } else ({ reason } = first)
  }
  return unasked(reason)
}

type Told = { readonly kind: 'both'; readonly ours: ToldDigest; readonly theirs: ToldDigest } | NoDigest

/** The reason that two indexes of a chain cannot be compared; null if they can. */
function obstacleBetween(ours: ToldDigest, theirs: ToldDigest): string | null {
  if (ours.digest.version !== theirs.digest.version) {
    return `the digests here have version ${ours.digest.version}, there ${theirs.digest.version}: run the same version of the program`
  }
  const [own, other] = [ours, theirs].map(({ contracts }) => new Set(contracts.map(describeContract)))
  const [onlyHere, onlyThere] = [own?.difference(other ?? new Set()), other?.difference(own ?? new Set())]
  if ((onlyHere?.size ?? 0) + (onlyThere?.size ?? 0) > 0) {
    const list = (only: Set<string> | undefined) => [...(only ?? [])].join(', ') || 'none'
    return `other contracts are indexed: only here ${list(onlyHere)}; only there ${list(onlyThere)}`
  }
  if (ours.digest.blockNumber === null) return 'no block is indexed here'
  return theirs.digest.blockNumber === null ? 'no block is indexed there' : null
}

function describeContract({ protocol, address, schemaRegistry }: ToldDigest['contracts'][number]): string {
  const registry = schemaRegistry === null ? '' : ` with ${schemaRegistry.toLowerCase()}`
  return `${protocol} ${address.toLowerCase()}${registry}`
}

/** Without a digest of any block, the block before the first one. */
function blockOf({ digest }: ToldDigest): number {
  return digest.blockNumber ?? -1
}

async function findFirstDifference(
  upToBlock: number,
  at: (block: number) => Promise<Told>,
): Promise<
  | { readonly kind: 'equal'; readonly events: number }
  | {
      readonly kind: 'differs'
      readonly block: number
      readonly ours: ToldDigest
      readonly theirs: ToldDigest
    }
  | NoDigest
> {
  let differing = await at(upToBlock)
  if (differing.kind === 'none') return differing
  if (isEqual(differing)) return { kind: 'equal', events: differing.ours.digest.eventCount }
  // The digests are equal below the one, and differ at the other.
  let [equalBlock, differingBlock] = [-1, upToBlock]
  while (differingBlock - equalBlock > 1) {
    const middle = Math.floor((equalBlock + differingBlock) / 2)
    const told = await at(middle)
    if (told.kind === 'none') return told
    if (isEqual(told)) equalBlock = middle
    else [differing, differingBlock] = [told, middle]
  }
  return { ...differing, kind: 'differs', block: differingBlock }
}

function isEqual({ ours, theirs }: { readonly ours: ToldDigest; readonly theirs: ToldDigest }): boolean {
  return ours.digest.value === theirs.digest.value && ours.digest.eventCount === theirs.digest.eventCount
}

type EventDifference = Pick<Extract<DigestFinding, { kind: 'disagreement' }>, 'holder' | 'event'>

function compareEvents(ours: readonly ToldEvent[], theirs: readonly ToldEvent[]): readonly EventDifference[] {
  const { pairs, before, after } = pairEvents(ours, theirs, {
    identity: ({ type, id, digest }) => `${type} ${id ?? digest}`,
    place: ({ type, eventIndex }) => `${eventIndex} ${type === 'name'}`,
  })
  const alone = [
    ...before.map((event) => differenceOf('here', event)),
    ...after.map((event) => differenceOf('there', event)),
  ]
  // The digest of an event holds its index, which an event that only one of them has moves.
  const unequal = pairs.filter(([our, their]) => our.digest !== their.digest)
  const told =
    alone.length === 0 ? unequal : unequal.filter(([our, their]) => our.eventIndex === their.eventIndex)
  return [...told.map(([our]) => differenceOf('both', our)), ...alone]
}

function differenceOf(
  holder: EventDifference['holder'],
  { type, eventIndex, id }: ToldEvent,
): EventDifference {
  return { holder, event: { type, eventIndex, id } }
}
