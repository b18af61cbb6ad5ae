import { copyFileSync, existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { createChainClient } from '../../src/chain/createChainClient.ts'
import type { Clock } from '../../src/model/clock.ts'
import { parseAddress } from '../../src/model/hex.ts'
import type { DomainEvent } from '../../src/model/domainEvent.ts'
import { findProtocol } from '../../src/protocols/registry.ts'
import type { IndexWriter } from '../../src/store/indexWriter.ts'
import { openSqliteWriter } from '../../src/store/sqlite/openSqliteWriter.ts'
import { createChainIndexer, type ChainIndexer } from '../../src/sync/chainIndexer.ts'
import type { IndexedDeployment } from '../../src/sync/fetchEvents.ts'
import { createRandom } from '../simulator/random.ts'
import type { SimulatedChain } from '../simulator/simulatedChain.ts'
import type { SimulatedEndpoint } from '../simulator/simulatedEndpoint.ts'
import { createSimulatedTransport } from '../simulator/simulatedTransport.ts'
import type { FollowedContracts } from './expectedIndex.ts'

/** How a process is configured; all of it may change from one life to the next. */
export interface ProcessConfig {
  readonly contracts: FollowedContracts
  readonly finality: number
  readonly pollIntervalMs: number
  /** The endpoints to ask, by host, in the order of preference. */
  readonly hosts: readonly string[]
  readonly logRangeInitialBlocks: number
  readonly batchSizeMax: number
  readonly readsPerCallMax: number
  readonly concurrencyPerEndpoint: number
}

export interface ProcessSurroundings {
  readonly chain: SimulatedChain
  readonly endpoints: ReadonlyMap<string, SimulatedEndpoint>
  readonly clock: Clock
  readonly seed: number
  /** Where a crash leaves the database for the next life. */
  readonly folder: string
}

/** One life of an indexing process: from its start to an orderly stop, or to a crash. */
export interface SimulatedProcess {
  readonly indexer: ChainIndexer
  /** Set once it has crashed: the database as it lay on disk at that moment. */
  crashedInto(): string | null
  /** Crashes at the next edge. */
  crashSoon(): void
  /** Whether it ended by itself: stopped on a broken invariant. */
  hasEnded(): boolean
  /** Ends it in order. Not for one that has crashed. */
  stop(): Promise<void>
  /** What it logged; a dead process logs nothing. */
  readonly logged: readonly string[]
}

const requestTimeoutMs = 30_000

/**
 * Starts a process on the database at `path`, which dies at its edge number `crashAt` (null: never): an edge is each moment before or
 * after a request or a write, and each write of events has one more in the middle of its transaction. What it leaves is what
 * lies on disk: the files are copied at that moment, and nothing that the dead process still does counts.
 */
export function startSimulatedProcess(
  path: string,
  config: ProcessConfig,
  { chain, endpoints, clock, seed, folder }: ProcessSurroundings,
  crashAt: number | null,
): SimulatedProcess {
  const random = createRandom(seed)
  const logged: string[] = []
  let edges = 0
  let crashEdge = crashAt ?? Number.POSITIVE_INFINITY
  let crashedInto: string | null = null
  let ended = false
  // Little memory for pages, so that a transaction under way spills into the file.
  const sqlite = openSqliteWriter(path, { cacheMib: random.pick([0.0625, 64]) })

  /** Counts an edge; the process is dead at and after the one that it crashes at. */
  function pass(): void {
    edges++
    if (crashedInto === null && edges >= crashEdge) crash()
  }

  function crash(): void {
    const next = join(folder, `after-crash-${seed}`)
    mkdirSync(next, { recursive: true })
    for (const suffix of ['', '-wal']) {
      if (existsSync(path + suffix)) copyFileSync(path + suffix, join(next, `index.db${suffix}`))
    }
    crashedInto = join(next, 'index.db')
  }

  /** What a dead process waits for never comes. */
  async function edge<Result>(work: () => Promise<Result>): Promise<Result> {
    pass()
    if (crashedInto !== null) return never()
    try {
      const result = await work()
      pass()
      return crashedInto === null ? result : await never()
    } catch (error) {
      return crashedInto === null ? Promise.reject(error) : never()
    }
  }

  const writer: IndexWriter = {
    ...sqlite,
    openChain: (identity) => edge(() => sqlite.openChain(identity)),
    applyBlocks: (chainId, batch) =>
      edge(() => {
        edges++
        if (edges < crashEdge) return sqlite.applyBlocks(chainId, batch)
        const dyingAt = random.integer(0, batch.events.length)
        return sqlite.applyBlocks(chainId, {
          ...batch,
          events: createLastEvents(batch.events, dyingAt, crash),
        })
      }),
    revertBlocks: (...args) => edge(() => sqlite.revertBlocks(...args)),
    saveChainStatus: (status) => (crashedInto === null ? sqlite.saveChainStatus(status) : never()),
  }

  const mortalClock: Clock = {
    nowMs: () => clock.nowMs(),
    sleep: async (delayMs, signal) => {
      await clock.sleep(delayMs, signal)
      if (crashedInto !== null) await never()
    },
  }

  const client = createChainClient({
    chainId: chain.chainId,
    endpoints: config.hosts.map((host) => `http://${host}`),
    requestTimeoutMs,
    headBudgetMs: 3_000,
    logRangeInitialBlocks: config.logRangeInitialBlocks,
    batchSizeMax: config.batchSizeMax,
    readsPerCallMax: config.readsPerCallMax,
    concurrencyPerEndpoint: config.concurrencyPerEndpoint,
    clock: mortalClock,
    random: () => random.next(),
    onEvent: (event) => void logged.push(`event: ${JSON.stringify(event)}`),
    createTransport: ({ host }) => {
      const endpoint = endpoints.get(host)
      if (endpoint === undefined) throw new Error(`there is no endpoint ${host}`)
      const transport = createSimulatedTransport(endpoint, host, mortalClock, requestTimeoutMs)
      return { post: (body, signal) => edge(() => transport.post(body, signal)), destroy: transport.destroy }
    },
  })

  const indexer = createChainIndexer({
    chain: {
      chainId: chain.chainId,
      name: config.contracts.name,
      finality: config.finality,
      pollIntervalMs: config.pollIntervalMs,
      transactionSenders: config.contracts.transactionSenders,
    },
    deployments: deploymentsOf(chain, config.contracts),
    client,
    writer,
    log: (level, message) => {
      if (crashedInto === null) logged.push(`${clock.nowMs()} ${level}: ${message}`)
    },
    clock: mortalClock,
  })
  const abort = new AbortController()
  const done = indexer.run(abort.signal).then(() => {
    ended = true
  })

  return {
    indexer,
    logged,
    crashedInto: () => crashedInto,
    crashSoon: () => {
      crashEdge = Math.min(crashEdge, edges + 1)
    },
    hasEnded: () => ended,
    async stop() {
      abort.abort()
      await done
      await client.close()
      await sqlite.close()
    },
  }
}

function deploymentsOf(chain: SimulatedChain, { sign, eas }: FollowedContracts): IndexedDeployment[] {
  const deployments: IndexedDeployment[] = []
  const add = (protocol: string, address: string, schemaRegistry: string | null, startBlock: number) => {
    const adapter = findProtocol(protocol)
    const parsed = parseAddress(address)
    if (adapter === null || parsed === null) throw new Error(`no usable contract of ${protocol}`)
    const registry = schemaRegistry === null ? null : parseAddress(schemaRegistry)
    deployments.push({
      adapter,
      deployment: { protocol, chainId: chain.chainId, address: parsed, schemaRegistry: registry, startBlock },
    })
  }
  if (sign !== null) add('sign', chain.contracts.sign, null, sign)
  if (eas !== null) add('eas', chain.contracts.eas, chain.contracts.schemaRegistry, eas)
  return deployments
}

/** Events in whose midst, as the store goes through them for the last time, the process dies. */
function createLastEvents(
  events: readonly DomainEvent[],
  dyingAt: number,
  die: () => void,
): readonly DomainEvent[] {
  const list = [...events]
  list[Symbol.iterator] = function* () {
    for (let i = 0; i < events.length; i++) {
      if (i === dyingAt) break
      const event = events[i]
      if (event !== undefined) yield event
    }
    die()
    throw new Error('the process died in the midst of a transaction')
  }
  return list
}

function never(): Promise<never> {
  return new Promise(() => undefined)
}
