import { createChainClient } from '@attestry/core/chain/createChainClient.ts'
import type { Clock } from '@attestry/core/model/clock.ts'
import type { RecordKey } from '@attestry/core/model/compositeId.ts'
import { parseAddress, type Address } from '@attestry/core/model/hex.ts'
import type { FurtherRegistries } from '@attestry/core/model/indexedContract.ts'
import { findProtocol } from '@attestry/core/protocols/registry.ts'
import type { FieldIndexing } from '@attestry/core/index/fieldIndexing.ts'
import type { IndexWriter } from '@attestry/core/index/indexWriter.ts'
import { createChainIndexer, type ChainIndexer } from '@attestry/core/sync/chainIndexer.ts'
import type { IndexedDeployment } from '@attestry/core/sync/fetchEvents.ts'
import { allFields } from '../harness/fieldIndexing.ts'
import { createRandom } from '../simulator/random.ts'
import type { SimulatedChain } from '../simulator/simulatedChain.ts'
import type { SimulatedEndpoint } from '../simulator/simulatedEndpoint.ts'
import { createSimulatedTransport } from '../simulator/simulatedTransport.ts'
import type { FollowedContracts } from './expectedIndex.ts'
import type { SimulatedDatabase } from './simulatedDatabase.ts'
import { startSimulatedHooks, type SimulatedReceivers } from './simulatedHooks.ts'

/** The configuration of a process. All of it may change from one life to the next. */
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
  /** The schemas whose decoded fields are indexed. */
  readonly fields: 'all' | 'half' | 'none'
}

export interface ProcessSurroundings {
  readonly chain: SimulatedChain
  readonly endpoints: ReadonlyMap<string, SimulatedEndpoint>
  readonly clock: Clock
  readonly seed: number
  /** The receivers of hooks; null without hooks. */
  readonly receivers: SimulatedReceivers | null
}

/** One life of an indexing process: from its start to an orderly stop, or to a crash. */
export interface SimulatedProcess {
  readonly indexer: ChainIndexer
  /** Whether it has crashed: what was stored at that moment is what the next life finds. */
  hasCrashed(): boolean
  /** Crashes at the next edge. */
  crashSoon(): void
  /** Whether it ended by itself: stopped on a broken invariant. */
  hasEnded(): boolean
  /** Whether the index of decoded fields has become what the configuration says. */
  hasIndexedFields(): boolean
  /** Whether the hooks have delivered everything. */
  hasDelivered(): Promise<boolean>
  /** Ends it in order. Not for one that has crashed. */
  stop(): Promise<void>
  /** Gives up what one that has crashed waits for, which would otherwise be held for ever; when its world is over. */
  bury(): void
  /** Lines that it logged. A dead process logs nothing. */
  readonly logged: readonly string[]
}

const requestTimeoutMs = 30_000
/** Time that a step of a build of the index of fields takes, and the rows that it does. */
const [fieldStepMs, fieldRowsPerStep] = [1_500, 1]

/**
 * Starts a process on a database. It dies at its edge number `crashAt` (null: never). An edge is a moment before or
 * after a request or a write. Each write of events has one more in the middle of its transaction. Anything that the
 * dead process still does has no effect.
 */
export function startSimulatedProcess(
  database: SimulatedDatabase,
  config: ProcessConfig,
  { chain, endpoints, clock, seed, receivers }: ProcessSurroundings,
  crashAt: number | null,
): SimulatedProcess {
  const random = createRandom(seed)
  const logged: string[] = []
  let edges = 0
  let crashEdge = crashAt ?? Number.POSITIVE_INFINITY
  let crashed = false
  let ended = false
  let hasIndexedFields = false
  const stored = database.openWriter(random, fieldIndexingOf(config.fields))

  /** Counts an edge; the process is dead at and after the one that it crashes at. */
  function pass(): void {
    edges++
    if (!crashed && edges >= crashEdge) crash()
  }

  function crash(): void {
    crashed = true
    stored.die()
  }

  function hasCrashed(): boolean {
    return crashed
  }

  /** Runs `work` between two edges. In a dead process, it never resolves. */
  async function edge<Result>(work: () => Promise<Result>): Promise<Result> {
    pass()
    if (crashed) return never()
    try {
      const result = await work()
      pass()
      return hasCrashed() ? await never() : result
    } catch (error) {
      return hasCrashed() ? never() : Promise.reject(error)
    }
  }

  const writer: IndexWriter = {
    ...stored,
    openChain: (identity) => edge(() => stored.openChain(identity)),
    applyBlocks: (chainId, batch) =>
      edge(() => {
        edges++
        if (edges < crashEdge) return stored.applyBlocks(chainId, batch)
        return stored.dieApplying(chainId, batch, random, () => {
          crashed = true
        })
      }),
    revertBlocks: (...args) => edge(() => stored.revertBlocks(...args)),
    // No edge, so that a seed crashes where it did before fields were indexed. Time passes only between two steps of
    // work.
    advanceFields: async (chainId) => {
      const progress = crashed ? await never() : await stored.advanceFields(chainId)
      if (!progress.isDone) await mortalClock.sleep(fieldStepMs, abort.signal)
      if (hasCrashed()) return never()
      hasIndexedFields = progress.isDone
      return progress
    },
    saveChainStatus: (status) => (crashed ? never() : stored.saveChainStatus(status)),
    forgetBlocks: (...args) => edge(() => stored.forgetBlocks(...args)),
    markDefect: (...args) => (crashed ? never() : stored.markDefect(...args)),
    saveHooks: (saved) => (crashed ? never() : stored.saveHooks(saved)),
  }

  const mortalClock: Clock = {
    nowMs: () => clock.nowMs(),
    sleep: async (delayMs, signal) => {
      await clock.sleep(delayMs, signal)
      if (crashed) await never()
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
      return {
        ...transport,
        post: (calls, signal, bytesMax) => edge(() => transport.post(calls, signal, bytesMax)),
      }
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
      if (!crashed) logged.push(`${clock.nowMs()} ${level}: ${message}`)
    },
    clock: mortalClock,
  })
  const abort = new AbortController()
  const reader = receivers === null ? null : database.openReader()
  const hooks =
    receivers === null || reader === null
      ? null
      : startSimulatedHooks(
          { deliver: (...args) => (crashed ? never() : receivers.deliver(...args)) },
          { reader, writer },
          mortalClock,
          abort.signal,
        )
  const indexing =
    hooks === null ? indexer.run(abort.signal) : hooks.begun.then(() => indexer.run(abort.signal))
  const done = indexing.then(() => {
    ended = true
  })
  // `stop` reports a failure. After a crash, failures do not matter.
  done.catch(() => undefined)

  return {
    indexer,
    logged,
    hasCrashed,
    crashSoon: () => {
      crashEdge = Math.min(crashEdge, edges + 1)
    },
    hasEnded: () => ended,
    hasIndexedFields: () => hasIndexedFields,
    hasDelivered: async () => (await hooks?.haveDelivered()) ?? true,
    async stop() {
      abort.abort()
      await done
      await hooks?.ended
      await reader?.close()
      await client.close()
      await stored.close()
    },
    bury() {
      abort.abort()
      client.close().catch(() => undefined)
      reader?.close().catch(() => undefined)
    },
  }
}

function fieldIndexingOf(fields: ProcessConfig['fields']): FieldIndexing {
  const includes = ({ localId }: RecordKey) =>
    fields === 'all' || (fields === 'half' && /[02468ace]$/.test(localId))
  return { ...allFields, includes, rowsPerStep: fieldRowsPerStep }
}

function deploymentsOf(
  chain: SimulatedChain,
  { sign, eas, verax = null, agents = null }: FollowedContracts,
): IndexedDeployment[] {
  const deployments: IndexedDeployment[] = []
  const add = (
    protocol: string,
    address: string,
    schemaRegistry: string | null,
    startBlock: number,
    further: FurtherRegistries<string> = {},
  ) => {
    const adapter = findProtocol(protocol)
    const parsed = parseAddress(address)
    if (adapter === null || parsed === null) throw new Error(`no usable contract of ${protocol}`)
    const registry = schemaRegistry === null ? null : parseAddress(schemaRegistry)
    deployments.push({
      adapter,
      deployment: {
        protocol,
        chainId: chain.chainId,
        address: parsed,
        schemaRegistry: registry,
        ...(further as FurtherRegistries<Address>),
        startBlock,
      },
    })
  }
  if (sign !== null) add('sign', chain.contracts.sign, null, sign)
  if (eas !== null) add('eas', chain.contracts.eas, chain.contracts.schemaRegistry, eas)
  const { verax: registry, veraxSchemas, veraxPortals } = chain.contracts
  if (verax !== null) add('verax', registry, veraxSchemas, verax, { portalRegistry: veraxPortals })
  const { identities, reputation: reputationRegistry, validations: validationRegistry } = chain.contracts
  if (agents !== null) add('erc8004', identities, null, agents, { reputationRegistry, validationRegistry })
  return deployments
}

function never(): Promise<never> {
  return new Promise(() => undefined)
}
