import { InconsistentChainError } from '../errors/reorgErrors.ts'
import type { FetchedLog } from '../protocols/protocolAdapter.ts'
import type { BlockHeader, LogFilter } from './chainClient.ts'
import type { Endpoint } from './createEndpoint.ts'
import type { EndpointPool } from './createEndpointPool.ts'
import { decodeLogs } from './decodeLogs.ts'
import type { RpcCall } from './matchAnswers.ts'

/**
 * Fetches the logs of single blocks by their hashes (EIP-234), in the order of the chain. Unlike a range of numbers, a hash
 * leaves a node no way to answer with nothing for a block that it does not have yet: it must say that it does not know
 * the block. Endpoints in `last` are asked only when no other one answers.
 */
export async function fetchBlockLogs(
  pool: EndpointPool,
  blocks: readonly BlockHeader[],
  filter: Pick<LogFilter, 'addresses' | 'topics'>,
  signal: AbortSignal,
  last: readonly Endpoint[] = [],
): Promise<readonly FetchedLog[]> {
  const { addresses, topics } = filter
  const calls = blocks.map(({ hash }): RpcCall => ({
    method: 'eth_getLogs',
    params: [{ blockHash: hash, address: addresses, topics: [topics] }],
    blockCount: 1,
  }))
  const logsOfBlock = await pool.callEach(
    calls,
    (answer, index, endpoint) => {
      const block = blocks[index]
      const call = calls[index]
      if (block === undefined || call === undefined) throw new RangeError(`no call ${index}`)
      if (answer.kind === 'error') throw endpoint.explain(call, answer.error, 1).error
      const range = { ...filter, fromBlock: block.number, toBlock: block.number }
      const { logs } = decodeLogs(answer.value, range, endpoint.host)
      if (logs.some(({ blockHash }) => blockHash !== block.hash)) {
        throw new InconsistentChainError(
          `${endpoint.host} gives logs of another block than the ${block.number} that it was asked for.`,
          { retryable: true, facts: { host: endpoint.host, blockNumber: block.number } },
        )
      }
      return logs.map((log) => ({ ...log, blockTimestamp: block.timestamp }))
    },
    signal,
    { last },
  )
  return logsOfBlock.flat()
}
