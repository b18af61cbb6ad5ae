import { InconsistentChainError } from '../errors/reorgErrors.ts'
import { RpcClosedError, RpcContradictionError } from '../errors/rpcErrors.ts'
import { blockNumbers } from '../model/chainState.ts'
import type { FetchedLog } from '../protocols/protocolAdapter.ts'
import { agreeOnBlock } from './agreeOnBlock.ts'
import { askEndpoints, type Vote } from './askEndpoints.ts'
import type { BlockHeader, ChainClient, LogsOfHost } from './chainClient.ts'
import { resolveOptions, type ChainClientOptions } from './chainClientOptions.ts'
import type { Endpoint } from './createEndpoint.ts'
import { createEndpointPool } from './createEndpointPool.ts'
import { createHeadWatch } from './createHeadWatch.ts'
import { createAnswerChecks } from './createAnswerChecks.ts'
import { createLogKeepers } from './createLogKeepers.ts'
import { createLogPatience } from './createLogPatience.ts'
import { fetchBlockLogs, fetchBlockLogsAt } from './fetchBlockLogs.ts'
import { fetchBlocks, fetchLatestBlock } from './fetchBlocks.ts'
import { fetchCheckedLogs, fetchLogsAgain } from './fetchCheckedLogs.ts'
import { fetchLogs } from './fetchLogs.ts'
import { fetchCode } from './fetchCode.ts'
import { fetchSenders } from './fetchSenders.ts'
import { findLog, sampleLogs } from './findLog.ts'
import { createContractReader, ethCall, readResult } from './readContracts.ts'

/**
 * A client of one chain. Nothing is sent before the first call.
 * @throws TypeError when there is no endpoint or one is not an http, https, ws or wss URL; the message holds no URL.
 */
export function createChainClient(given: ChainClientOptions): ChainClient {
  const options = resolveOptions(given)
  const pool = createEndpointPool(options)
  const keepers = createLogKeepers(pool, options)
  const checks = createAnswerChecks(keepers, options)
  const checked = { ...options, checks, patience: createLogPatience(options.clock) }
  const reader = createContractReader(pool, options)
  const closing = new AbortController()
  const heads = createHeadWatch(pool.endpoints, options, closing.signal)

  /** Runs a call until it ends, the caller gives up, or the client is closed. */
  async function untilClosed<Result>(
    signal: AbortSignal | undefined,
    run: (signal: AbortSignal) => Promise<Result>,
  ): Promise<Result> {
    const combined = signal === undefined ? closing.signal : AbortSignal.any([signal, closing.signal])
    combined.throwIfAborted()
    return run(combined)
  }

  const fetchHeadersOf: ChainClient['fetchHeadersOf'] = (numbers, signal) =>
    untilClosed(signal, async (combined) => {
      const headers = await fetchBlocks(pool, numbers, new Map(), combined)
      checkLinks(headers)
      return headers
    })

  return {
    fetchHead: (signal) =>
      untilClosed(signal, async (combined) => {
        const from = { budgetMs: options.headBudgetMs, first: heads.teller() }
        const head = await fetchLatestBlock(pool, from, combined)
        heads.note(head)
        return head
      }),
    awaitHead: (delayMs, signal) => untilClosed(signal, (combined) => heads.wait(delayMs, combined)),
    headSource: () => (heads.isLive() ? 'subscription' : 'polling'),
    fetchHeaders: (fromBlock, toBlock, signal) => fetchHeadersOf(blockNumbers(fromBlock, toBlock), signal),
    fetchHeadersOf,
    fetchLogs: (filter, signal) =>
      untilClosed(signal, (combined) => fetchLogs(pool, filter, { keepers, checks }, options, combined)),
    fetchCheckedLogs: (headers, filter, signal) =>
      untilClosed(signal, (combined) => fetchCheckedLogs(pool, headers, filter, checked, combined)),
    fetchLogsAgain: (blocks, filter, signal) =>
      untilClosed(signal, async (combined) =>
        (await fetchLogsAgain(pool, blocks, filter, options, combined)).map(logsOfHost),
      ),
    fetchLogsEverywhere: (block, filter, signal) =>
      untilClosed(signal, async (combined) => {
        const ask = (endpoint: Endpoint, inTime: AbortSignal) =>
          fetchBlockLogsAt(endpoint, block, filter, inTime)
        return (await askEndpoints(pool.available(), ask, options, combined)).map(logsOfHost)
      }),
    fetchLogsOf: (blocks, filter, signal) =>
      untilClosed(signal, (combined) => fetchBlockLogs(pool, blocks, filter, combined)),
    findLog: (filter, matches, signal) =>
      untilClosed(signal, (combined) => findLog(pool, filter, matches, options, combined)),
    proveLog: (log, signal) =>
      untilClosed(signal, async (combined) => {
        const forgetful = await keepers.prove(log, combined)
        return forgetful.map(({ host }) => host)
      }),
    fetchAgreedHeader: (blockNumber, known, signal) =>
      untilClosed(signal, (combined) => agreeOnBlock(pool, blockNumber, known, options, combined)),
    readContracts: (reads, at, signal) => untilClosed(signal, (combined) => reader.read(reads, at, combined)),
    readContractsTwice: (reads, at, signal) =>
      untilClosed(signal, (combined) => reader.readTwice(reads, at, combined)),
    readEverywhere: (read, at, signal) =>
      untilClosed(signal, async (combined) => {
        const endpoints = pool.available()
        if (endpoints.length < 2) return []
        const call = ethCall(read, at)
        const ask = async (endpoint: Endpoint, inTime: AbortSignal) =>
          readResult(await endpoint.exchangeOne(call, inTime), call, endpoint)
        const votes = await askEndpoints(endpoints, ask, options, combined)
        return votes.map(({ endpoint: { host }, value }) => ({ host, result: value }))
      }),
    quarantine(host, reason) {
      const error = new RpcContradictionError(`${host} ${reason}.`, { retryable: true, facts: { host } })
      for (const endpoint of pool.trusted()) if (endpoint.host === host) pool.quarantine(endpoint, error)
    },
    noteOmission: (log) => keepers.noteOmission(log),
    fetchCode: (address, blockNumber, signal) =>
      untilClosed(signal, (combined) => fetchCode(pool, address, blockNumber, options, combined)),
    sampleLogs: (filter, signal) =>
      untilClosed(signal, (combined) => sampleLogs(pool, filter, keepers, options, combined)),
    distrustLogs(host, blockNumber) {
      for (const endpoint of pool.endpoints) {
        if (endpoint.host === host && !keepers.distrust(endpoint, blockNumber)) checks.suspect(endpoint)
      }
    },
    takeLogDoubts: () => checks.takeDoubts(),
    fetchTransactionSenders: (hashes, signal) =>
      untilClosed(signal, (combined) => fetchSenders(pool, hashes, options, combined)),
    watchRetries: (listener) => pool.watchRetries(listener),
    isAlone: () => pool.isAlone,
    logRangeBlocks: () => pool.preferred(keepers.mayKeep).logRange.width(),
    async close() {
      closing.abort(new RpcClosedError(`The client of chain ${options.chainId} was closed.`))
      await pool.destroy()
    },
  }
}

function logsOfHost({ endpoint: { host }, value }: Vote<readonly FetchedLog[]>): LogsOfHost {
  return { host, logs: value }
}

/**
 * Batches may come from different endpoints, or from before and after a reorganisation: only linked headers are one
 * chain.
 */
function checkLinks(headers: readonly BlockHeader[]) {
  let previous: BlockHeader | undefined
  for (const header of headers) {
    if (previous?.number === header.number - 1 && previous.hash !== header.parentHash) {
      throw new InconsistentChainError(
        `Block ${header.number} does not follow block ${previous.number}: the chain changed while it was read.`,
        { retryable: true, facts: { blockNumber: header.number } },
      )
    }
    previous = header
  }
}
