import { performance } from 'node:perf_hooks'
import type { ChainClientOptions } from '@attestry/core/chain/chainClientOptions.ts'
import { createChainClient } from '@attestry/core/chain/createChainClient.ts'
import { parseAddress } from '@attestry/core/model/hex.ts'
import type { ProtocolAdapter } from '@attestry/core/protocols/protocolAdapter.ts'
import { findProtocol } from '@attestry/core/protocols/registry.ts'
import type { IndexWriter } from '@attestry/core/index/indexWriter.ts'
import { createChainIndexer } from '@attestry/core/sync/chainIndexer.ts'
import { openBenchStore, type BenchStoreKind } from './benchStore.ts'
import { startReadyProcess } from './childProcess.ts'

/** The first line of the stub server. */
export interface StubReady {
  readonly url: string
  /** Of Sign Protocol; of EAS if there is a schema registry. */
  readonly contract: string
  readonly schemaRegistry?: string
  readonly chainId: number
  readonly head: number
  readonly attestations: number
  readonly schemas: number
  /** Total of schemas, attestations, revocations and anchors. */
  readonly events: number
}

export interface IngestFigures {
  readonly attestations: number
  readonly events: number
  readonly blocks: number
  readonly seconds: number
  readonly attestationsPerSecond: number
  readonly eventsPerSecond: number
  /** HTTP requests to the endpoint, record reads included. */
  readonly requests: number
  /** Share of the time, of 1, during which the writer's thread commits. It overlaps with the other shares. */
  readonly storeShare: number
  /**
   * Shares (of 1) of the fetching thread's time: decoding, and waiting for the endpoint or the store. The rest goes to
   * requests, to parsing and checking JSON, and to passing events to the writer's thread.
   */
  readonly decodeShare: number
  readonly waitingShare: number
  readonly rpcShare: number
  /** CPU seconds of all threads of the indexing process. */
  readonly cpuSeconds: number
}

/** The backfilled chain, and the latency of its endpoint. */
export interface IngestCase {
  readonly attestations: number
  /** `dense`: several events in each block; `sparse`: one event per hundred blocks. */
  readonly density: 'dense' | 'sparse'
  readonly latencyMs: number
}

/** Backfills a simulated chain end to end, from JSON-RPC over a socket to durable rows. */
export async function benchIngest(
  { attestations, density, latencyMs }: IngestCase,
  kind: BenchStoreKind = 'sqlite',
): Promise<IngestFigures> {
  const stub = await startReadyProcess<StubReady>(
    new URL('stubServer.ts', import.meta.url),
    [attestations, density, latencyMs].map(String),
  )
  const store = await openBenchStore(kind)
  try {
    const figures = await backfillOnce(stub.ready, store.writer)
    return { ...figures, requests: Number(await stub.ask('requests')) }
  } finally {
    await store.remove()
    await stub.stop()
  }
}

/** Backfills the chain of a stub into a store; `limits` are those of the requests to the stub. */
export async function backfillOnce(
  stub: StubReady,
  stored: IndexWriter,
  limits: Pick<ChainClientOptions, 'concurrencyPerEndpoint' | 'callsPerSecond'> = {},
): Promise<Omit<IngestFigures, 'requests'>> {
  const times = { storeMs: 0, decodeMs: 0 }
  const writer = timedWriter(stored, times)
  const client = createChainClient({ chainId: stub.chainId, endpoints: [stub.url], ...limits })
  const address = parseAddress(stub.contract)
  const schemaRegistry = parseAddress(stub.schemaRegistry ?? '')
  const protocol = schemaRegistry === null ? 'sign' : 'eas'
  const adapter = findProtocol(protocol)
  if (address === null || adapter === null) throw new Error('the stub names no usable contract')
  const indexer = createChainIndexer({
    chain: {
      chainId: stub.chainId,
      name: 'Stub',
      finality: 64,
      pollIntervalMs: 50,
      transactionSenders: false,
    },
    deployments: [
      {
        deployment: { protocol, chainId: stub.chainId, address, schemaRegistry, startBlock: 0 },
        adapter: timedAdapter(adapter, times),
      },
    ],
    client,
    writer,
    log: () => undefined,
  })
  const abort = new AbortController()
  const cpu = process.cpuUsage()
  const loop = performance.eventLoopUtilization()
  const startMs = performance.now()
  const done = indexer.run(abort.signal)
  while (!indexer.status().reachedHead) {
    if (indexer.status().phase === 'stopped')
      throw new Error(indexer.status().lastError ?? 'the chain stopped')
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
  const elapsedMs = performance.now() - startMs
  const waitingShare = 1 - performance.eventLoopUtilization(loop).utilization
  const storeShare = times.storeMs / elapsedMs
  const decodeShare = times.decodeMs / elapsedMs
  const { user, system } = process.cpuUsage(cpu)
  abort.abort()
  await done
  await client.close()
  return {
    attestations: stub.attestations,
    events: stub.events,
    blocks: stub.head,
    seconds: elapsedMs / 1000,
    attestationsPerSecond: stub.attestations / (elapsedMs / 1000),
    eventsPerSecond: stub.events / (elapsedMs / 1000),
    storeShare,
    decodeShare,
    waitingShare,
    rpcShare: 1 - decodeShare - waitingShare,
    cpuSeconds: (user + system) / 1e6,
  }
}

/** Measures the time during which at least one commit is in flight. */
function timedWriter(writer: IndexWriter, times: { storeMs: number }): IndexWriter {
  let underWay = 0
  let startMs = 0
  return {
    ...writer,
    applyBlocks: async (chainId, batch) => {
      if (underWay++ === 0) startMs = performance.now()
      try {
        return await writer.applyBlocks(chainId, batch)
      } finally {
        if (--underWay === 0) times.storeMs += performance.now() - startMs
      }
    },
  }
}

function timedAdapter(adapter: ProtocolAdapter, times: { decodeMs: number }): ProtocolAdapter {
  return {
    ...adapter,
    decodeLog: (deployment, log, result, context) => {
      const startMs = performance.now()
      const outcome = adapter.decodeLog(deployment, log, result, context)
      times.decodeMs += performance.now() - startMs
      return outcome
    },
  }
}
