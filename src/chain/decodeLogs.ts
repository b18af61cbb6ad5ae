import { InconsistentChainError } from '../errors/reorgErrors.ts'
import { RpcMalformedError } from '../errors/rpcErrors.ts'
import { parseAddress, parseHash, parseHex, type Address, type Hash, type Hex } from '../model/hex.ts'
import { blockNumberMax, eventPosition, logsPerBlockMax } from '../model/position.ts'
import { unixSeconds } from '../model/time.ts'
import type { ChainLog } from '../protocols/protocolAdapter.ts'
import type { LogFilter } from './chainClient.ts'
import { isRecord } from './matchAnswers.ts'
import { parseQuantity } from './parseQuantity.ts'

export interface DecodedLogs {
  /** Ascending by position, each once. `blockTimestamp` is 0 where `undatedBlocks` holds the block. */
  readonly logs: readonly ChainLog[]
  /** Number and hash of the blocks whose time the endpoint did not send with their logs. */
  readonly undatedBlocks: ReadonlyMap<number, Hash>
}

/**
 * Reads the result of `eth_getLogs` for a filter.
 * @throws RpcMalformedError when a field is not as it must be, or a log was not asked for; InconsistentChainError when
 *   a log is removed or pending, or two contradict each other. Both are retryable.
 */
export function decodeLogs(value: unknown, filter: LogFilter, host: string): DecodedLogs {
  if (!Array.isArray(value)) throw malformed(host, 'the result is no array')
  const items: readonly unknown[] = value
  const addresses = new Map<string, Address>(filter.addresses.map((address) => [address, address]))
  // Logs without indexed fields, the most by far, share the one list of their topic.
  const topics = new Map<string, readonly Hex[]>(filter.topics.map((topic) => [topic, [topic]]))
  const logs: ChainLog[] = Array.from({ length: items.length })
  const undatedBlocks = new Map<number, Hash>()
  let isAscending = true
  let lastPosition = -1
  // Logs of one block come one after the other: its hash is checked and kept once, as one string.
  let blockHash: Hash | null = null
  for (let i = 0; i < items.length; i++) {
    const item = items[i]
    if (!isRecord(item)) throw malformed(host, 'a log is no object')
    if (item['removed'] === true || item['blockNumber'] === null || item['blockHash'] === null) {
      throw inconsistent(host, 'a log is removed or pending')
    }
    const blockNumber = parseQuantity(item['blockNumber'], blockNumberMax)
    const logIndex = parseQuantity(item['logIndex'], logsPerBlockMax - 1)
    if (blockNumber === null) throw malformed(host, 'a log has no valid blockNumber')
    if (logIndex === null) throw malformed(host, 'a log has no valid logIndex')
    if (blockNumber < filter.fromBlock || blockNumber > filter.toBlock) {
      throw malformed(host, `a log of block ${blockNumber} was not asked for`)
    }
    if (item['blockHash'] !== blockHash) blockHash = readHash(item['blockHash'], 'blockHash', host)
    const timestamp = readTimestamp(item['blockTimestamp'], blockNumber, host)
    if (timestamp === null) undatedBlocks.set(blockNumber, blockHash)
    const position = eventPosition(blockNumber, logIndex)
    isAscending &&= position > lastPosition
    lastPosition = position
    logs[i] = {
      address: readAddress(item['address'], addresses, host),
      topics: readTopics(item['topics'], topics, host),
      data: readData(item['data'], host),
      blockNumber,
      blockHash,
      blockTimestamp: unixSeconds(timestamp ?? 0),
      transactionHash: readHash(item['transactionHash'], 'transactionHash', host),
      logIndex,
      position,
    }
  }
  const ordered = isAscending ? logs : withoutDuplicates(logs.sort(byPosition), host)
  checkBlocks(ordered, host)
  return { logs: ordered, undatedBlocks }
}

function byPosition(a: ChainLog, b: ChainLog): number {
  return a.position - b.position
}

/** An endpoint may send a log twice; two different ones at one position cannot both be true. */
function withoutDuplicates(sorted: readonly ChainLog[], host: string): readonly ChainLog[] {
  return sorted.filter((log, index) => {
    const previous = sorted[index - 1]
    if (previous === undefined || previous.position !== log.position) return true
    if (JSON.stringify(previous) === JSON.stringify(log)) return false
    throw inconsistent(host, `two different logs stand at index ${log.logIndex} of block ${log.blockNumber}`)
  })
}

/** Logs of one block agree on its hash and time. */
function checkBlocks(sorted: readonly ChainLog[], host: string) {
  let previous: ChainLog | undefined
  for (const log of sorted) {
    if (previous !== undefined && previous.blockNumber === log.blockNumber) {
      if (previous.blockHash !== log.blockHash || previous.blockTimestamp !== log.blockTimestamp) {
        throw inconsistent(host, `logs of block ${log.blockNumber} belong to different blocks`)
      }
    }
    previous = log
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

/** null where the endpoint does not send the time; some send 0 for "not known". */
function readTimestamp(value: unknown, blockNumber: number, host: string): number | null {
  if (value === undefined || value === null) return null
  const timestamp = parseQuantity(value, Number.MAX_SAFE_INTEGER)
  if (timestamp === null) throw malformed(host, 'a log has no valid blockTimestamp')
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
