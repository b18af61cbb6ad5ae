import { describeChain } from '@attestry/core/model/chainState.ts'
import { parentPort, workerData } from 'node:worker_threads'
import { createJournalTail } from '@attestry/core/changes/journalTail.ts'
import { createChainClient } from '@attestry/core/chain/createChainClient.ts'
import { parseEndpointUrl } from '@attestry/core/chain/parseEndpointUrl.ts'
import type { ChainEvent } from '@attestry/core/chain/chainClientOptions.ts'
import { createSharedBudget, type SharedBudget } from '@attestry/core/chain/requestBudget.ts'
import { describeError } from '@attestry/core/errors/baseError.ts'
import { steadyClock } from '@attestry/core/model/clock.ts'
import { findProtocol } from '@attestry/core/protocols/registry.ts'
import type { IndexReader } from '@attestry/core/index/indexReader.ts'
import type { IndexWriter } from '@attestry/core/index/indexWriter.ts'
import { createChainIndexer, type ChainIndexer } from '@attestry/core/sync/chainIndexer.ts'
import { createChainShares, type ChainShares } from '@attestry/core/sync/chainShares.ts'
import type { SyncLog } from '@attestry/core/sync/indexedChain.ts'
import { runIndexer } from '@attestry/core/sync/runIndexer.ts'
import { assertChecked, migrateForWriting } from '@attestry/host/checkDatabase.ts'
import type { ResolvedParts } from '@attestry/host/config/configPart.ts'
import { trimEnvironment } from '@attestry/host/config/interpolateVariables.ts'
import type { ChainConfig } from '@attestry/host/config/resolveChains.ts'
import { createRequestCounter } from '@attestry/host/createRequestCounter.ts'
import { importWings } from './composition.ts'
import type { IndexHost, IndexingWing, Wing } from '@attestry/server/wing.ts'
import type { IndexerMessage, IndexerSettings } from './indexerMessages.ts'
import type { Database } from '@attestry/host/database.ts'
import { openDatabase } from '@attestry/host/openDatabase.ts'
import { returnMemoryAtRest } from '@attestry/host/returnMemory.ts'
import { startWriterThread } from './writer/connectWriter.ts'
import { yieldToReaders } from '@attestry/host/yieldToReaders.ts'
import { startTracing } from '@attestry/tracing/startTracing.ts'

/** Time after which a chain whose endpoints do not answer reports so in its status. */
const headBudgetMs = 5_000
/** Between two messages of how often the endpoints were asked, if nothing else is reported meanwhile. */
const countsIntervalMs = 1_000

/**
 * The body of the indexer's thread: fetches and decodes, and sends events to the writer's thread. The API's thread is
 * never blocked.
 * `startIndexer` starts this thread with `IndexerSettings` and receives `IndexerMessage`s. Any message to this thread
 * means stop.
 */
const stop = new AbortController()
const rpcRequests = createRequestCounter()
parentPort?.once('message', () => stop.abort())

yieldToReaders()
returnMemoryAtRest()

try {
  // `startIndexer` passes `IndexerSettings`.
  await index(workerData as IndexerSettings)
} catch (error) {
  send({ kind: 'failed', message: describeError(error) })
}
parentPort?.close()

async function index({
  database: config,
  requests,
  chains,
  wings: { url, configs },
  ...settings
}: IndexerSettings): Promise<void> {
  await startTracing()
  const database = await openDatabase(config)
  using _ = database.lock()
  // The modules of the wings and of the writer's thread are loaded meanwhile.
  const [{ writer, failed }, wings] = await Promise.all([
    startWriterThread({ database: config, ...settings }, migrate(database)),
    importWings({ url }),
  ])
  const reader = database.openReader()
  const tail = createJournalTail({ journal: null, version: () => reader.indexVersion() })
  const host = {
    chains,
    environment: trimEnvironment(process.env),
    reader,
    writer,
    database: config,
    tail,
    clock: steadyClock,
    log,
    stop: stop.signal,
  }
  const besides = await beginWings(wings, host, configs)
  const openPublished = besides.find((each) => each.openPublished !== undefined)?.openPublished
  try {
    // The end of the writer's thread ends this thread, so that a supervisor restarts both.
    await Promise.race([
      runChains(chains, createSharedBudget(requests, steadyClock), { reader, writer }, openPublished),
      failed,
    ])
  } finally {
    stop.abort()
    await Promise.all(besides.map(({ ended }) => ended))
    await reader.close()
    await writer.close()
  }
}

async function migrate(database: Database): Promise<void> {
  const notice = await migrateForWriting(database)
  if (notice !== null) log('warn', notice, {})
  await assertChecked(database)
  send({ kind: 'migrated' })
}

async function beginWings(
  wings: readonly Wing[],
  host: IndexHost,
  configs: ResolvedParts,
): Promise<readonly IndexingWing[]> {
  const begun = await Promise.all(wings.map(async (wing) => await wing.index?.(host, configs[wing.name])))
  return begun.filter((each) => each !== undefined)
}

interface Store {
  readonly reader: IndexReader
  readonly writer: IndexWriter
}

async function runChains(
  chains: readonly ChainConfig[],
  sharedBudget: SharedBudget,
  store: Store,
  openPublished: IndexingWing['openPublished'],
): Promise<void> {
  for (const { chainId, rpc } of chains) {
    for (const url of rpc) rpcRequests.begin(chainId, parseEndpointUrl(url).host)
  }
  const telling = setInterval(reportCounts, countsIntervalMs)
  const clients = chains.map((chain) =>
    createChainClient({
      chainId: chain.chainId,
      endpoints: chain.rpc,
      concurrencyPerEndpoint: chain.requests.inFlight,
      callsPerSecond: chain.requests.perSecond,
      sharedBudget,
      onRequest: (host, errorCode) => rpcRequests.count(chain.chainId, host, errorCode),
      headBudgetMs,
      onEvent: (event) => {
        if (event.kind === 'quarantined') rpcRequests.count(chain.chainId, event.host, 'RPC_CONTRADICTION')
        logChainEvent(chain, event)
      },
    }),
  )
  const shares = createChainShares(
    chains.map(({ chainId }) => chainId),
    store.writer,
    steadyClock,
  )
  const indexers = chains.flatMap((chain, i): ChainIndexer[] => {
    const client = clients[i]
    if (client === undefined) return []
    const onStatus = (status: ReturnType<ChainIndexer['status']>) => send({ kind: 'status', status })
    return [
      createChainIndexer({
        chain,
        deployments: withAdapters(chain),
        client,
        writer: store.writer,
        shares,
        log,
        onStatus,
        openPublished: openPublished?.(chain.chainId) ?? undefined,
      }),
    ]
  })
  try {
    await shares.survey()
    await markStarting(indexers, store, shares)
    send({ kind: 'ready' })
    await runIndexer(indexers, store, log, stop.signal, shares)
    if (stop.signal.aborted) return
    send({ kind: 'idle' })
    await new Promise<void>((resolve) =>
      stop.signal.addEventListener('abort', () => resolve(), { once: true }),
    )
  } finally {
    clearInterval(telling)
    await Promise.allSettled(clients.map((client) => client.close()))
  }
}

/**
 * Resets the status that the last run saved: until an endpoint has answered, no chain may count as being at its head.
 * The indexed block stays. The status of a chain that another process has claimed is left to that process.
 */
async function markStarting(
  indexers: readonly ChainIndexer[],
  { reader, writer }: Store,
  shares: ChainShares,
): Promise<void> {
  const known = new Map((await reader.listChains()).map(({ status }) => [status.chainId, status]))
  for (const indexer of indexers) {
    const status = indexer.status()
    if (!shares.mayClaim(status.chainId) || !(await writer.claimChain(status.chainId))) continue
    shares.take(status.chainId)
    const before = known.get(status.chainId)
    const { indexedBlock = null, indexedTimestamp = null } = before ?? {}
    await writer.saveChainStatus({ ...status, indexedBlock, indexedTimestamp })
  }
}

function withAdapters({ deployments }: ChainConfig) {
  return deployments.map((deployment) => {
    const adapter = findProtocol(deployment.protocol)
    if (adapter === null) throw new Error(`protocol ${deployment.protocol} is not registered`)
    return { deployment, adapter }
  })
}

function log(...[level, message, facts]: Parameters<SyncLog>): void {
  send({ kind: 'log', level, message, facts: plainFacts(facts) })
}

function logChainEvent({ chainId, name }: ChainConfig, event: ChainEvent): void {
  const chain = describeChain(chainId, name)
  switch (event.kind) {
    case 'endpointFailed':
      return log(
        'warn',
        `${chain}: endpoint ${event.host} failed${event.times > 1 ? ` ${event.times} times` : ''}: ${event.message}`,
        { chainId, code: event.code },
      )
    case 'endpointRecovered':
      return log('info', `${chain}: endpoint ${event.host} answers again`, { chainId })
    case 'rateLimited':
      return log('warn', `${chain}: ${describeRate(event)}`, { chainId, retryInMs: event.retryInMs })
    case 'rateRestored':
      return log('info', `${chain}: endpoint ${event.host} no longer asks for fewer requests`, { chainId })
    case 'wrongChain':
      return log(
        'warn',
        `${chain}: endpoint ${event.host} serves chain ${event.foundChainId} and is left out until it serves this one`,
        { chainId },
      )
    case 'quarantined':
      return log(
        'warn',
        `${chain}: endpoint ${event.host} contradicts the others and is left out for ${Math.round(event.retryInMs / 60_000)} minutes: ${event.message}`,
        { chainId, code: event.code },
      )
    case 'logsForgotten':
      return log(
        'warn',
        `${chain}: endpoint ${event.host} has forgotten the logs of block ${event.blockNumber}, and is not asked for old ones`,
        { chainId },
      )
    case 'logsLeftOut':
      return log(
        'warn',
        `${chain}: endpoint ${event.host} leaves logs out of its answers, such as logs of block ${event.blockNumber}`,
        { chainId },
      )
    case 'headsTold':
      return log('info', `${chain}: endpoint ${event.host} tells of new heads`, { chainId })
    case 'headsLost':
      return log('warn', `${chain}: no subscription to new heads, which are polled: ${event.reason}`, {
        chainId,
      })
    case 'batchLimited':
      return log('info', `${chain}: endpoint ${event.host} takes ${event.batchMax} calls a request`, {
        chainId,
      })
    case 'logRangeLimited':
      return log('info', `${chain}: endpoint ${event.host} takes ${event.blocks} blocks a request for logs`, {
        chainId,
      })
    case 'multicallMissing':
      return log('info', `${chain}: Multicall3 is not deployed; contracts are read one by one`, { chainId })
  }
}

function describeRate({ host, perSecond, refusals }: ChainEvent & { readonly kind: 'rateLimited' }): string {
  const again = refusals > 1 ? ` (${refusals} refusals)` : ''
  const rate =
    perSecond === null ? '' : `: about ${Math.max(1, Math.round(perSecond))} a second are sent for now`
  return `endpoint ${host} asks for fewer requests${again}${rate}; chains[].requests.perSecond sets a limit of your own`
}

/** Sends a message after the counts, so that the requests before a status or a log line are already counted. */
function send(message: IndexerMessage): void {
  reportCounts()
  parentPort?.postMessage(message)
}

function reportCounts(): void {
  parentPort?.postMessage({ kind: 'rpcCounts', counts: rpcRequests.counts() } satisfies IndexerMessage)
}

/** Converts facts to values that can be sent to another thread and written as JSON. */
function plainFacts(facts: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const text = JSON.stringify(facts, (_, value: unknown) =>
    typeof value === 'bigint' ? String(value) : value,
  )
  // The JSON text of an object parses to an object.
  return JSON.parse(text) as Record<string, unknown>
}
