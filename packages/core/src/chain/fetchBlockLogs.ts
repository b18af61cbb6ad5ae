import { InconsistentChainError } from '../errors/reorgErrors.ts'
import type { BlockRef } from '../model/chainState.ts'
import type { FetchedLog } from '../protocols/protocolAdapter.ts'
import type { LogFilter } from './chainClient.ts'
import type { Endpoint } from './createEndpoint.ts'
import type { EndpointPool } from './createEndpointPool.ts'
import { decodeLogs } from './decodeLogs.ts'
import type { RpcAnswer, RpcCall } from './matchAnswers.ts'

/**
 * Fetches the logs of single blocks by their hashes (EIP-234), in the order of the chain. For a range of numbers, a node
 * may answer with an empty list if it lacks a block. For a hash, it must say that it does not know the block. An empty
 * list of addresses or topics means any. Endpoints in `last` are asked only if no other one answers.
 */
export async function fetchBlockLogs(
  pool: EndpointPool,
  blocks: readonly BlockRef[],
  filter: BlockLogFilter,
  signal: AbortSignal,
  last: readonly Endpoint[] = [],
): Promise<readonly FetchedLog[]> {
  const calls = blocks.map((block) => blockLogsCall(block, filter))
  const logsOfBlock = await pool.callEach(
    calls,
    (answer, index, endpoint) => {
      const block = blocks[index]
      const call = calls[index]
      if (block === undefined || call === undefined) throw new RangeError(`no call ${index}`)
      return readBlockLogs(answer, { block, call, filter }, endpoint)
    },
    signal,
    { last },
  )
  return logsOfBlock.flat()
}

/** The logs of a block, by its hash, from one endpoint. */
export async function fetchBlockLogsAt(
  endpoint: Endpoint,
  block: BlockRef,
  filter: BlockLogFilter,
  signal: AbortSignal,
): Promise<readonly FetchedLog[]> {
  const call = blockLogsCall(block, filter)
  return readBlockLogs(await endpoint.exchangeOne(call, signal), { block, call, filter }, endpoint)
}

type BlockLogFilter = Pick<LogFilter, 'addresses' | 'topics'>

function blockLogsCall({ hash }: BlockRef, { addresses, topics }: BlockLogFilter): RpcCall {
  return {
    method: 'eth_getLogs',
    params: [
      {
        blockHash: hash,
        ...(addresses.length === 0 ? {} : { address: addresses }),
        ...(topics.length === 0 ? {} : { topics: [topics] }),
      },
    ],
    blockCount: 1,
  }
}

function readBlockLogs(
  answer: RpcAnswer,
  {
    block,
    call,
    filter,
  }: { readonly block: BlockRef; readonly call: RpcCall; readonly filter: BlockLogFilter },
  endpoint: Endpoint,
): readonly FetchedLog[] {
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
}
