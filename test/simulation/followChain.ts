import type { ChainStatus } from '@attestry/core/model/chainState.ts'
import type { StoreReader } from '@attestry/store/reading/openIndexReader.ts'
import { createRandom } from '../simulator/random.ts'
import {
  createSimulatedChain,
  type SimulatedChain,
  type SimulatedChainOptions,
} from '../simulator/simulatedChain.ts'
import {
  createSimulatedEndpoint,
  plainCharacter,
  type EndpointCharacter,
  type SimulatedEndpoint,
} from '../simulator/simulatedEndpoint.ts'
import { createVirtualClock } from '../simulator/virtualClock.ts'
import { compareExport } from './compareExport.ts'
import { expectedIndex, type FollowedContracts } from './expectedIndex.ts'
import { createSqliteWorld } from './simulatedDatabase.ts'
import { startSimulatedProcess } from './simulatedProcess.ts'

export interface FollowOptions {
  readonly chain: Omit<SimulatedChainOptions, 'nowMs'>
  readonly contracts: FollowedContracts
  readonly finality: number
  readonly logRangeInitialBlocks?: number
  /**
   * One endpoint (`e0.example`, `e1.example` …) for each: what it is like, beside the plain one; asked at every request
   * where it is a function.
   */
  readonly characters?: readonly (Partial<EndpointCharacter> | (() => Partial<EndpointCharacter>))[]
  /** Called with the body of each request before it is answered. */
  readonly onRequest?: (body: string, chain: SimulatedChain) => void
}

/** An index of a simulated chain that a test steers step by step. */
export interface FollowedChain {
  readonly chain: SimulatedChain
  /** Lets time pass until the index stands at the chain's head and rests there, or has stopped for good. */
  settle(): Promise<void>
  /** Lets so much time pass. */
  pass(durationMs: number): Promise<void>
  status(): ChainStatus
  readonly logged: readonly string[]
  /** Opens a reader of the index, which the caller closes. */
  openReader(): StoreReader
  /** Ends the indexer and answers how the index differs from the chain. */
  compare(): Promise<readonly string[]>
  /** Ends the indexer and answers the lines of its export. */
  readLines(): Promise<readonly string[]>
  /** Removes what it stored. */
  remove(): Promise<void>
}

export function followChain(options: FollowOptions): FollowedChain {
  const { contracts, characters = [{}] } = options
  const clock = createVirtualClock(1_750_000_000_000)
  const chain = createSimulatedChain({ ...options.chain, nowMs: clock.nowMs })
  const endpoints = new Map(
    characters.map((character, i) => {
      const whole = () => ({
        ...plainCharacter,
        chainId: chain.chainId,
        ...(typeof character === 'function' ? character() : character),
      })
      const endpoint = createSimulatedEndpoint(chain, whole, createRandom(i + 1))
      const observed: SimulatedEndpoint = {
        ...endpoint,
        reply(body) {
          options.onRequest?.(body, chain)
          return endpoint.reply(body)
        },
      }
      return [`e${i}.example`, observed]
    }),
  )
  const database = createSqliteWorld()
  const process = startSimulatedProcess(
    database,
    {
      contracts,
      finality: options.finality,
      pollIntervalMs: 1_000,
      hosts: [...endpoints.keys()],
      logRangeInitialBlocks: options.logRangeInitialBlocks ?? 100,
      batchSizeMax: 100,
      readsPerCallMax: 100,
      concurrencyPerEndpoint: 4,
      fields: 'all',
    },
    { chain, endpoints, clock, seed: 1, receivers: null },
    null,
  )

  async function readLines(): Promise<readonly string[]> {
    let stopped = false
    void process.stop().then(() => {
      stopped = true
    })
    await clock.runUntil(() => stopped)
    return database.readExport()
  }

  return {
    chain,
    status: () => process.indexer.status(),
    logged: process.logged,
    openReader: () => database.openReader(),
    async pass(durationMs) {
      let over = false
      void clock.sleep(durationMs, new AbortController().signal).then(() => {
        over = true
      })
      await clock.runUntil(() => over)
    },
    settle: () =>
      clock.runUntil(() => {
        const { phase, indexedBlock } = process.indexer.status()
        return process.hasEnded() || (phase === 'following' && indexedBlock === chain.head())
      }),
    readLines,
    compare: async () => compareExport(await readLines(), expectedIndex(chain, contracts)),
    remove: () => database.remove(),
  }
}
