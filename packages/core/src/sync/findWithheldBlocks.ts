import type { BlockHeader } from '../chain/chainClient.ts'
import { InconsistentChainError } from '../errors/reorgErrors.ts'
import { RpcRangeTooLargeError, RpcRefusedError } from '../errors/rpcErrors.ts'
import { bloomMayContain, logsBloomOf } from '../model/logsBloom.ts'
import type { FetchedLog } from '../protocols/protocolAdapter.ts'
import { isIndexed, type EventSource } from './fetchEvents.ts'

/** Headers before the pinned block that are searched for a bloom that is not empty. */
const bloomHeaders = 256

/** Headers per request. */
const headersAtOnce = 16

/** Finds blocks that may have logs although the endpoints returned none, as pruned nodes do. */
export interface LogWitness {
  /**
   * The blocks that may have logs of the source. Two kinds of blocks certainly have none: those whose bloom excludes
   * the logs, and those whose bloom is that of all their logs, of any contract, as an endpoint returns them. Empty
   * blooms prove nothing on a chain whose blooms are all empty, missing ones never do.
   * @throws InconsistentChainError, retryable, if an endpoint that may tell does not answer.
   */
  findWithheld(blocks: readonly number[], signal: AbortSignal): Promise<ReadonlySet<number>>
}

export function createLogWitness(source: EventSource, pinned: BlockHeader): LogWitness {
  const { client, addresses, topics } = source
  let blooms: Promise<boolean> | null = null

  /** Whether the blocks of the chain have blooms. If the newest blocks have no log, the oldest known log decides. */
  async function hasBlooms(signal: AbortSignal): Promise<boolean> {
    const oldest = Math.max(0, pinned.number - bloomHeaders + 1)
    for (let toBlock = pinned.number; toBlock >= oldest; toBlock -= headersAtOnce) {
      const newest = await client.fetchHeaders(Math.max(oldest, toBlock - headersAtOnce + 1), toBlock, signal)
      if (newest.some(hasBloom)) return true
    }
    const starts = [...source.deploymentsByAddress.values()].map(({ deployment }) => deployment.startBlock)
    const filter = { addresses, topics, fromBlock: Math.min(...starts), toBlock: pinned.number }
    const { log, unanswered } = await client.findLog(filter, () => true, signal)
    if (unanswered.length > 0) {
      throw new InconsistentChainError(
        `only the first log of the contracts tells whether the blocks have blooms: waiting for ${unanswered.join(', ')}`,
        { retryable: true, facts: { hosts: unanswered } },
      )
    }
    if (log === null) return false
    const [header] = await client.fetchHeaders(log.blockNumber, log.blockNumber, signal)
    return header !== undefined && hasBloom(header)
  }

  /** Whether an endpoint returns all logs of a block, and none of the source is among them. */
  async function isWholeWithoutOwn(
    { number, logsBloom }: BlockHeader,
    signal: AbortSignal,
  ): Promise<boolean> {
    const block = { addresses: [], topics: [], fromBlock: number, toBlock: number }
    try {
      const logs = await client.fetchLogs(block, signal)
      return !logs.some(isOwn) && logsBloomOf(logs) === logsBloom
    } catch (error) {
      // An endpoint may refuse the logs of all contracts, or of so large a block.
      if (signal.aborted || !(error instanceof RpcRefusedError || error instanceof RpcRangeTooLargeError))
        throw error
      return false
    }
  }

  function isOwn(log: FetchedLog): boolean {
    const [topic] = log.topics
    if (topic === undefined || !topics.includes(topic) || !addresses.includes(log.address)) return false
    return isIndexed(source, log)
  }

  async function isWithheld(block: number, signal: AbortSignal): Promise<boolean> {
    const [header] = await client.fetchHeaders(block, block, signal)
    if (header === undefined || header.logsBloom === null) return true
    if (hasBloom(header)) {
      return (
        bloomMayContain(header.logsBloom, addresses, topics) && !(await isWholeWithoutOwn(header, signal))
      )
    }
    blooms ??= hasBlooms(signal)
    return !(await blooms)
  }

  return {
    findWithheld: async (blocks, signal) => {
      const withheld = new Set<number>()
      for (let at = 0; at < blocks.length; at += headersAtOnce) {
        const some = blocks.slice(at, at + headersAtOnce)
        const are = await Promise.all(some.map((block) => isWithheld(block, signal)))
        for (const [index, block] of some.entries()) if (are[index] === true) withheld.add(block)
      }
      return withheld
    },
  }
}

function hasBloom({ logsBloom }: BlockHeader): boolean {
  return logsBloom !== null && !/^0x0*$/.test(logsBloom)
}
