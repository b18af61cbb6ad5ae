import { isJsonObject } from '../model/jsonObject.ts'
import { InconsistentChainError } from '../errors/reorgErrors.ts'
import { RpcMalformedError } from '../errors/rpcErrors.ts'
import { parseAddress, parseHash, parseHex, type Address, type Hash, type Hex } from '../model/hex.ts'
import { blockNumberMax } from '../model/position.ts'
import { unixSeconds } from '../model/time.ts'
import type { FetchedLog } from '../protocols/protocolAdapter.ts'
import type { LogFilter } from './chainClient.ts'
import { parseQuantity } from './parseQuantity.ts'

export interface DecodedLogs {
  /** In the order of the chain, each once. `blockTimestamp` is 0 where `undatedBlocks` holds the block. */
  readonly logs: readonly FetchedLog[]
  /** Number and hash of the blocks whose time the endpoint did not send with their logs. */
  readonly undatedBlocks: ReadonlyMap<number, Hash>
  /** Of an answer for one block: the place of each log among all logs of the block. */
  readonly places?: readonly LogPlace[]
}

/** Answers for parts of the logs of a block are joined by the places of the logs. */
export interface LogPlace {
  readonly transactionIndex: number
  readonly order: number
}

/** Nodes keep both indexes in 32 bits. */
const indexMax = 2 ** 32 - 1
/** A larger number is not a time in seconds; some nodes send milliseconds. */
const secondsMax = 99_999_999_999

/**
 * Reads the result of `eth_getLogs` for a filter. Logs are ordered by block, transaction and log index: nodes number
 * logs by block, by transaction, or from a number of their own, and all keep the order within a transaction. `null`
 * stands for no logs. A `transactionIndex` or `blockTimestamp` that is missing or malformed is done without.
 * @throws RpcMalformedError when a field is not as it must be, or a log was not asked for; InconsistentChainError when
 *   a log is removed or pending, or two contradict each other. Both are retryable.
 */
export function decodeLogs(value: unknown, filter: LogFilter, host: string): DecodedLogs {
  if (value !== null && !Array.isArray(value)) throw malformed(host, 'the result is no array')
  const items: readonly unknown[] = value ?? []
  const addresses = new Map<string, Address>(filter.addresses.map((address) => [address, address]))
  // Logs without indexed fields, the most by far, share the one list of their topic.
  const topics = new Map<string, readonly Hex[]>(filter.topics.map((topic) => [topic, [topic]]))
  const undatedBlocks = new Map<number, Hash>()
  const places: Place[] = Array.from({ length: items.length })
  let isAscending = true
  let isRanked = true
  // Logs of one block come one after the other: its hash is checked and kept once, as one string.
  let blockHash: Hash | null = null
  for (let i = 0; i < items.length; i++) {
    const item = items[i]
    if (!isJsonObject(item)) throw malformed(host, 'a log is no object')
    if (item['removed'] === true || item['blockNumber'] === null || item['blockHash'] === null) {
      throw inconsistent(host, 'a log is removed or pending')
    }
    const blockNumber = parseQuantity(item['blockNumber'], blockNumberMax)
    if (blockNumber === null) throw malformed(host, 'a log has no valid blockNumber')
    const transactionIndex = parseQuantity(item['transactionIndex'], indexMax)
    const logIndex = parseQuantity(item['logIndex'], indexMax)
    if (logIndex === null) {
      throw malformed(host, `a log has no valid logIndex, a number from 0 to ${indexMax}`)
    }
    if (blockNumber < filter.fromBlock || blockNumber > filter.toBlock) {
      throw malformed(host, `a log of block ${blockNumber} was not asked for`)
    }
    if (item['blockHash'] !== blockHash) blockHash = readHash(item['blockHash'], 'blockHash', host)
    const timestamp = readTimestamp(item['blockTimestamp'], blockNumber)
    if (timestamp === null) undatedBlocks.set(blockNumber, blockHash)
    const log: FetchedLog = {
      address: readAddress(item['address'], addresses, host),
      topics: readTopics(item['topics'], topics, host),
      data: readData(item['data'], host),
      blockNumber,
      blockHash,
      blockTimestamp: unixSeconds(timestamp ?? 0),
      transactionHash: readHash(item['transactionHash'], 'transactionHash', host),
    }
    isRanked &&= transactionIndex !== null
    const place = { log, transactionIndex: transactionIndex ?? unknownIndex, order: logIndex | 0 }
    const previous = places[i - 1]
    isAscending &&= previous === undefined || byPlace(previous, place) < 0
    places[i] = place
  }
  const ranked = isRanked ? places : rankTransactions(places)
  const ordered = isRanked && isAscending ? ranked : withoutDuplicates(ranked.sort(byPlace), host)
  checkBlocks(ordered, host)
  const logs = ordered.map(({ log }) => log)
  if (filter.fromBlock < filter.toBlock) return { logs, undatedBlocks }
  const placesOf = ordered.map(({ transactionIndex, order }) => ({ transactionIndex, order }))
  return { logs, undatedBlocks, places: placesOf }
}

/** A log, and what an endpoint says of its place in the block. */
interface Place {
  readonly log: FetchedLog
  /** `unknownIndex` until `rankTransactions` has put another number in its place. */
  readonly transactionIndex: number
  /**
   * The log index, as a signed number of 32 bits: a node whose count began below 0 gives 0xfffffffe, 0xffffffff, 0, and
   * no block has 2^31 logs.
   */
  readonly order: number
}

const unknownIndex = -1

/**
 * Numbers the transactions of each block in which an index is unknown. Their order is that of the indexes of their logs.
 * If logs of two transactions have the same index, it is the order of the answer.
 */
function rankTransactions(places: readonly Place[]): Place[] {
  return [...Map.groupBy(places, ({ log }) => log.blockNumber).values()].flatMap((block) => {
    if (block.every(({ transactionIndex }) => transactionIndex !== unknownIndex)) return block
    const transactionAt = new Map(block.map(({ log, order }) => [order, log.transactionHash]))
    const isNumberedByBlock = block.every(
      ({ log, order }) => transactionAt.get(order) === log.transactionHash,
    )
    const told = isNumberedByBlock ? block.toSorted((a, b) => a.order - b.order) : block
    const hashes = [...new Set(told.map(({ log }) => log.transactionHash))]
    const ranks = new Map(hashes.map((hash, rank) => [hash, rank]))
    return block.map((place) => ({
      ...place,
      transactionIndex: ranks.get(place.log.transactionHash) ?? unknownIndex,
    }))
  })
}

/** Whether an error says that an answer to `eth_getLogs` cannot be. */
export function isImpossibleAnswer(error: unknown): error is RpcMalformedError | InconsistentChainError {
  const isOne = error instanceof RpcMalformedError || error instanceof InconsistentChainError
  return isOne && error.facts['method'] === 'eth_getLogs'
}

function byPlace(a: Place, b: Place): number {
  return a.log.blockNumber - b.log.blockNumber || a.transactionIndex - b.transactionIndex || a.order - b.order
}

/** An endpoint may send a log twice; two different ones with one index of one transaction cannot both be true. */
function withoutDuplicates(sorted: readonly Place[], host: string): readonly Place[] {
  return sorted.filter((place, index) => {
    const previous = sorted[index - 1]
    if (previous === undefined || byPlace(previous, place) !== 0) return true
    if (JSON.stringify(previous) === JSON.stringify(place)) return false
    const { log, transactionIndex, order } = place
    throw inconsistent(
      host,
      `two different logs stand at index ${order >>> 0} of transaction ${transactionIndex} in block ${log.blockNumber}`,
    )
  })
}

/** Logs of one block agree on its hash and time, and on which transaction has which index. */
function checkBlocks(sorted: readonly Place[], host: string) {
  let previous: Place | undefined
  let transactions = new Set<Hash>()
  for (const place of sorted) {
    const { log, transactionIndex } = place
    const isSameBlock = previous?.log.blockNumber === log.blockNumber
    if (previous !== undefined && isSameBlock) {
      if (previous.log.blockHash !== log.blockHash || previous.log.blockTimestamp !== log.blockTimestamp) {
        throw inconsistent(host, `logs of block ${log.blockNumber} belong to different blocks`)
      }
    }
    if (isSameBlock && previous?.transactionIndex === transactionIndex) {
      if (previous.log.transactionHash !== log.transactionHash) {
        throw inconsistent(
          host,
          `two transactions have the transactionIndex ${transactionIndex} in block ${log.blockNumber}`,
        )
      }
    } else {
      if (!isSameBlock) transactions = new Set()
      if (transactions.has(log.transactionHash)) {
        throw inconsistent(
          host,
          `the transaction ${log.transactionHash} has two transactionIndexes in block ${log.blockNumber}`,
        )
      }
      transactions.add(log.transactionHash)
    }
    previous = place
  }
}

function readAddress(value: unknown, asked: ReadonlyMap<string, Address>, host: string): Address {
  if (typeof value !== 'string') throw malformed(host, 'a log has no valid address')
  // The filter's own string is kept rather than one more copy per log.
  const known = asked.get(value)
  if (known !== undefined) return known
  const address = parseAddress(value)
  if (address === null) throw malformed(host, 'a log has no valid address')
  if (asked.size > 0 && !asked.has(address)) throw malformed(host, `a log of ${address} was not asked for`)
  return address
}

function readTopics(
  value: unknown,
  asked: ReadonlyMap<string, readonly Hex[]>,
  host: string,
): readonly Hex[] {
  if (!Array.isArray(value) || value.length > 4) throw malformed(host, 'a log has no valid topics')
  const items: readonly unknown[] = value
  const [first] = items
  // An event without topic0 (anonymous) can only come where no topic was asked for.
  if (first === undefined && asked.size === 0) return []
  const known = (typeof first === 'string' ? asked.get(first) : undefined) ?? [readTopic(first, host)]
  if (asked.size > 0 && !asked.has(known[0] ?? '')) {
    throw malformed(host, 'a log has a topic that was not asked for')
  }
  return items.length === 1 ? known : [...known, ...items.slice(1).map((item) => readTopic(item, host))]
}

function readTopic(value: unknown, host: string): Hex {
  const topic = typeof value === 'string' && value.length === 66 ? parseHex(value) : null
  if (topic === null) throw malformed(host, 'a log has no valid topics')
  return topic
}

function readData(value: unknown, host: string): Hex {
  const data = typeof value === 'string' ? parseHex(value) : null
  if (data === null) throw malformed(host, 'a log has no valid data')
  return data
}

function readHash(value: unknown, field: string, host: string): Hash {
  const hash = typeof value === 'string' ? parseHash(value) : null
  if (hash === null) throw malformed(host, `a log has no valid ${field}`)
  return hash
}

/** null if the endpoint does not send the time in seconds; some send 0 for "not known". */
function readTimestamp(value: unknown, blockNumber: number): number | null {
  const timestamp = parseQuantity(value, secondsMax)
  return timestamp === 0 && blockNumber > 0 ? null : timestamp
}

function malformed(host: string, what: string): RpcMalformedError {
  return new RpcMalformedError(`The logs of ${host} are not as they must be: ${what}.`, {
    retryable: true,
    facts: { host, method: 'eth_getLogs' },
  })
}

function inconsistent(host: string, what: string): InconsistentChainError {
  return new InconsistentChainError(`The logs of ${host} contradict each other: ${what}.`, {
    retryable: true,
    facts: { host, method: 'eth_getLogs' },
  })
}
