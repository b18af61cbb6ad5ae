import { RpcRefusedError } from '../errors/rpcErrors.ts'
import type { ChainLog, ReadResult, RecordCounters, RecordKind } from '../protocols/protocolAdapter.ts'
import type { EventSource, IndexedDeployment } from './fetchEvents.ts'

/**
 * Follows the numbers of records through a backfill. A contract that numbers its records one by one leaves no gap between the
 * logs of its blocks, and tells of each record when it was made: a record whose time is over and whose log did not come is one that
 * an endpoint kept back, as a pruned node does, which answers with no logs for the blocks that it has forgotten. Nothing is taken
 * to be missing that the contract does not say was made.
 */
export interface RecordTally {
  /** Takes the logs of the next range of whole blocks; or says what is missing among them, and takes none. */
  take(range: TalliedRange): RecordGap | null
  /** Whether a record is known to come before a time, in Unix seconds. */
  awaitsRecordBefore(timestamp: number): boolean
  /**
   * Whether a record was made at the very time of the last block that was taken, and did not come: it was kept back, or stands in a later
   * block of the same time, which that block's successor tells.
   */
  awaitsRecordAt(timestamp: number): boolean
  /** No longer looks for records of the kind of a gap that nobody can fill. */
  giveUp(gap: RecordGap): void
}

/** What a range's logs tell of numbered records. */
export interface TalliedRange {
  readonly fromBlock: number
  readonly toBlock: number
  /** All records made before this time, in Unix seconds, are in its blocks or earlier ones: when its last block was made, or the next one. */
  readonly lastTimestamp: number
  readonly kinds: readonly TalliedKind[]
}

/** Those of one kind and contract. */
interface TalliedKind {
  readonly indexed: IndexedDeployment
  readonly what: RecordKind
  /** Ascending. */
  readonly numbers: readonly bigint[]
  /** When logs were made that announce a record of that kind but cannot be read, in Unix seconds: records may be theirs. */
  readonly unreadable: readonly number[]
  /** The last block that holds one of them. */
  readonly lastBlock: number
  /** When the record after the last of these was made, in Unix seconds; null where it was not, or nobody can tell. */
  readonly followingTime: number | null
}

/** Records that were made and not seen, from number `first` to `last`, in the blocks from `fromBlock` to `toBlock`. */
export interface RecordGap {
  readonly indexed: IndexedDeployment
  readonly what: RecordKind
  readonly first: bigint
  readonly last: bigint
  readonly fromBlock: number
  readonly toBlock: number
}

interface Series {
  readonly indexed: IndexedDeployment
  readonly what: RecordKind
  expected: bigint
  /** When the record of that number was made; null where it was not yet, or nobody can tell. */
  expectedTime: number | null
  /** The first block that may hold the expected record. */
  sinceBlock: number
  hasSeen: boolean
  /** When logs were made since then that may be of its records and cannot be read. */
  unreadable: readonly number[]
}

/** Records that are read at once to find out which one comes first. */
const probesMax = 64
const kinds: readonly RecordKind[] = ['schema', 'attestation']

/**
 * A tally that begins with `fromBlock`; `timestampBefore` gives the time of a block. Kinds of records whose contract does not
 * answer how many there are, are left out of it.
 */
export async function createRecordTally(
  source: EventSource,
  fromBlock: number,
  timestampBefore: (blockNumber: number) => Promise<number>,
  signal: AbortSignal,
): Promise<RecordTally> {
  const started = await Promise.all(
    countedDeployments(source).map(async ({ indexed, counters }) => {
      const firstBlock = Math.max(fromBlock, indexed.deployment.startBlock)
      const before = firstBlock === 0 ? -1 : await timestampBefore(firstBlock - 1)
      return Promise.all(
        kinds.map(async (what): Promise<readonly Series[]> => {
          const first = await findFirstAfter(source, indexed, counters, what, before, signal)
          if (first === null) return []
          const { number, time } = first
          return [
            {
              indexed,
              what,
              expected: number,
              expectedTime: time,
              sinceBlock: firstBlock,
              hasSeen: false,
              unreadable: [],
            },
          ]
        }),
      )
    }),
  )
  const series = new Set(started.flat(2))

  function find({ indexed, what }: Pick<Series, 'indexed' | 'what'>): Series | undefined {
    return [...series].find((each) => each.indexed === indexed && each.what === what)
  }

  return {
    take(range) {
      const taken = new Map<Series, Partial<Series>>()
      for (const each of series) {
        const kind = range.kinds.find(({ indexed, what }) => indexed === each.indexed && what === each.what)
        const outcome = followNumbers(each, kind, range)
        if (outcome.kind === 'gap') return outcome.gap
        if (outcome.kind === 'uncounted') series.delete(each)
        else taken.set(each, outcome.next)
      }
      for (const [each, next] of taken) Object.assign(each, next)
      return null
    },
    awaitsRecordBefore: (timestamp) =>
      [...series].some(({ expectedTime }) => expectedTime !== null && expectedTime < timestamp),
    awaitsRecordAt: (timestamp) =>
      [...series].some(
        ({ expectedTime, unreadable }) => expectedTime === timestamp && !unreadable.includes(timestamp),
      ),
    giveUp(gap) {
      const each = find(gap)
      if (each !== undefined) series.delete(each)
    },
  }
}

/** Whether a log announces a record that its contract numbers. */
export function isNumbered(source: EventSource, log: ChainLog): boolean {
  const adapter = source.deploymentsByAddress.get(log.address)?.adapter
  if (adapter === undefined || adapter.counters === null) return false
  const kind = adapter.identifyEvent(log)?.kind
  return kind === 'schemaRegistered' || kind === 'attestationMade'
}

/** Whether a log announces one of the missing records. */
export function isOfGap({ indexed, what, first, last }: RecordGap, log: ChainLog): boolean {
  if (!indexed.adapter.contractsOf(indexed.deployment).includes(log.address)) return false
  const event = indexed.adapter.identifyEvent(log)
  if (event?.kind !== (what === 'schema' ? 'schemaRegistered' : 'attestationMade')) return false
  const number = BigInt(event.localId)
  return number >= first && number <= last
}

/** What logs tell of the records of contracts that number theirs; asks the contracts for the time of what must come next. */
export async function tallyLogs(
  source: EventSource,
  logs: readonly ChainLog[],
  signal: AbortSignal,
): Promise<readonly TalliedKind[]> {
  const tallied = countedDeployments(source).flatMap(({ indexed, counters }) => {
    const numbers = { schema: [] as bigint[], attestation: [] as bigint[] }
    const unreadable = { schema: [] as number[], attestation: [] as number[] }
    const lastBlock = { schema: 0, attestation: 0 }
    for (const log of logs) {
      if (source.deploymentsByAddress.get(log.address) !== indexed) continue
      const what = counters.announces(log)
      if (what === null) continue
      const event = indexed.adapter.identifyEvent(log)
      if (event === null) unreadable[what].push(log.blockTimestamp)
      else {
        numbers[what].push(BigInt(event.localId))
        lastBlock[what] = log.blockNumber
      }
    }
    return kinds.map((what) => ({
      indexed,
      counters,
      what,
      unreadable: unreadable[what],
      lastBlock: lastBlock[what],
      numbers: ascending(numbers[what]),
    }))
  })
  const reads = tallied.flatMap(({ indexed, counters, what, numbers }) => {
    const last = numbers.at(-1)
    return last === undefined ? [] : [counters.planRecord(indexed.deployment, what, last + 1n)]
  })
  const results = reads.length === 0 ? [] : await unlessRefused(source, reads, signal)
  let next = 0
  return tallied.map(({ counters, ...kind }) => {
    const result = kind.numbers.length === 0 ? undefined : results[next++]
    const followingTime = result === undefined ? null : counters.decodeRecordTime(kind.what, result)
    return { ...kind, followingTime }
  })
}

type Followed =
  | { readonly kind: 'gap'; readonly gap: RecordGap }
  /** Whatever that contract does, it does not count one by one. */
  | { readonly kind: 'uncounted' }
  | { readonly kind: 'taken'; readonly next: Partial<Series> }

function followNumbers(each: Series, kind: TalliedKind | undefined, range: TalliedRange): Followed {
  const { indexed, what } = each
  let { expected, expectedTime, hasSeen, sinceBlock } = each
  const { numbers = [], unreadable: newUnreadable = [] } = kind ?? {}
  const unreadable = [...each.unreadable, ...newUnreadable]
  const gapBefore = (end: bigint): Followed => ({
    kind: 'gap',
    gap: { indexed, what, first: expected, last: end - 1n, fromBlock: sinceBlock, toBlock: range.toBlock },
  })
  // What is expected was made at a time at which there is a log that cannot be read.
  const mayBeUnreadable = expectedTime === null || unreadable.includes(expectedTime)
  for (const number of numbers) {
    // Where the first one is not known for certain, an earlier one may come.
    if (number < expected && hasSeen) return { kind: 'uncounted' }
    const isFirst = expected === each.expected
    const tolerated = isFirst && !mayBeUnreadable ? 0 : unreadable.length
    if (number > expected + BigInt(tolerated)) return gapBefore(number)
    expected = number + 1n
    hasSeen = true
  }
  if (kind !== undefined && numbers.length > 0) {
    expectedTime = kind.followingTime
    sinceBlock = kind.lastBlock
  }
  // A block after the last one may have the same time.
  if (expectedTime !== null && expectedTime < range.lastTimestamp && !unreadable.includes(expectedTime)) {
    return gapBefore(expected + 1n)
  }
  if (expectedTime !== null && expectedTime > range.lastTimestamp) sinceBlock = range.toBlock + 1
  const since = { sinceBlock, unreadable: numbers.length > 0 ? newUnreadable : unreadable }
  return { kind: 'taken', next: { expected, expectedTime, hasSeen, ...since } }
}

/**
 * The first record that was made after a time, by asking for some of all that there are and ever closer ones: the next one to come
 * where there is none. Records that cannot be read count as earlier. Null where the contract does not say how many there are.
 */
async function findFirstAfter(
  source: EventSource,
  { deployment }: IndexedDeployment,
  counters: RecordCounters,
  what: RecordKind,
  time: number,
  signal: AbortSignal,
): Promise<{ readonly number: bigint; readonly time: number | null } | null> {
  const [count] = await unlessRefused(source, [counters.planCount(deployment, what)], signal)
  const next = count === undefined ? null : counters.decodeCount(count)
  if (next === null) return null
  // Everything below `low` is earlier, `high` is not; both move together.
  let low = 0n
  let high: { readonly number: bigint; readonly time: number | null } = { number: next, time: null }
  while (low < high.number) {
    const probes = probesBetween(low, high.number)
    const reads = probes.map((number) => counters.planRecord(deployment, what, number))
    const results = await unlessRefused(source, reads, signal)
    if (results.length === 0) return null
    for (const [index, number] of probes.entries()) {
      const result = results[index]
      const made = result === undefined ? null : counters.decodeRecordTime(what, result)
      if (made === null || made <= time) low = number + 1n
      else {
        high = { number, time: made }
        break
      }
    }
  }
  return high
}

/** Numbers from `low` up to but without `high`, evenly apart, the last one among them. */
function probesBetween(low: bigint, high: bigint): readonly bigint[] {
  const step = (high - low + BigInt(probesMax) - 1n) / BigInt(probesMax)
  const probes: bigint[] = []
  for (let number = high - 1n; number >= low; number -= step) probes.push(number)
  return probes.toReversed()
}

interface CountedDeployment {
  readonly indexed: IndexedDeployment
  readonly counters: RecordCounters
}

function countedDeployments(source: EventSource): readonly CountedDeployment[] {
  return [...new Set(source.deploymentsByAddress.values())].flatMap((indexed) => {
    const { counters } = indexed.adapter
    return counters === null ? [] : [{ indexed, counters }]
  })
}

function ascending(numbers: readonly bigint[]): readonly bigint[] {
  return numbers.toSorted((a, b) => (a < b ? -1 : Number(a > b)))
}

/**
 * Results of reads at the newest state; none where the endpoints refuse them, which keeps no chain from going on. Where they only
 * fail, which is when an answer may come from a pruned node, there is no going on without.
 */
async function unlessRefused(
  source: EventSource,
  reads: Parameters<EventSource['client']['readContracts']>[0],
  signal: AbortSignal,
): Promise<readonly ReadResult[]> {
  try {
    return await source.client.readContracts(reads, { kind: 'latest' }, signal)
  } catch (error) {
    if (signal.aborted || !(error instanceof RpcRefusedError)) throw error
    return []
  }
}
