import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { systemClock, type Clock } from '@attestry/core/model/clock.ts'
import { createChainClient } from '@attestry/core/chain/createChainClient.ts'
import { parseAddress } from '@attestry/core/model/hex.ts'
import { findProtocol } from '@attestry/core/protocols/registry.ts'
import { migrateSqlite } from '@attestry/store/sqlite/migrateSqlite.ts'
import { exportAndClose } from '@attestry/store/testing/storeFactory.ts'
import { openSqliteReader } from '@attestry/store/sqlite/openSqliteReader.ts'
import { openSqliteWriter } from '@attestry/store/sqlite/openSqliteWriter.ts'
import { createChainIndexer, type ChainIndexer } from '@attestry/core/sync/chainIndexer.ts'
import { projections } from './projections.ts'

/** A simulated or real chain with one protocol. */
export interface FollowedChain {
  readonly chainId: number
  /** The protocol of the contract; Sign Protocol by default. */
  readonly protocol?: string
  readonly contract: string
  readonly schemaRegistry?: string
  /** The first block to index; 0 by default. */
  readonly startBlock?: number
  /** The number of its newest block. */
  head(): number | Promise<number>
}

/**
 * An index of one chain in a database of its own, made by the real chain client, adapter, indexer and store inside this
 * process. Its indexer can be stopped and started again.
 */
export interface LiveIndex {
  readonly path: string
  start(): void
  stop(): Promise<void>
  /**
   * Waits until the index has reached the head of the chain; rejects when it stops or takes longer than `timeoutMs`.
   */
  reachHead(timeoutMs: number): Promise<void>
  /** The export of the index, without times of storing. */
  exportLines(): Promise<string[]>
  indexer(): ChainIndexer
  /** The log of the indexer, newest line last. */
  readonly logged: readonly string[]
  remove(): Promise<void>
}

export interface LiveIndexOptions {
  readonly finality: number
  /** Milliseconds between two polls of the head; 0.2 by default. */
  readonly pollIntervalMs?: number
}

/** Delays of the indexer are multiplied by this factor. */
const delayFactor = 0.02

const hurriedClock: Clock = {
  nowMs: () => systemClock.nowMs(),
  sleep: (delayMs, signal) => systemClock.sleep(delayMs * delayFactor, signal),
}

export function createLiveIndex(
  chain: FollowedChain,
  urls: readonly string[],
  options: LiveIndexOptions,
): LiveIndex {
  const { chainId } = chain
  const folder = mkdtempSync(join(tmpdir(), 'attestry-live-'))
  const path = join(folder, 'index.db')
  const logged: string[] = []
  let running: { indexer: ChainIndexer; stop: () => Promise<void> } | null = null
  migrateSqlite(path, { projections })

  function start(): void {
    const protocol = chain.protocol ?? 'sign'
    const adapter = findProtocol(protocol)
    const address = parseAddress(chain.contract)
    if (adapter === null || address === null) throw new Error('the chain has no usable contract')
    const writer = openSqliteWriter(path, { projections })
    const client = createChainClient({
      chainId,
      endpoints: urls,
      requestTimeoutMs: 2_000,
      retryDelayMs: 1,
    })
    const deployment = {
      protocol,
      chainId,
      address,
      schemaRegistry: parseAddress(chain.schemaRegistry ?? ''),
      startBlock: chain.startBlock ?? 0,
    }
    const indexer = createChainIndexer({
      chain: {
        chainId,
        name: 'Followed',
        finality: options.finality,
        pollIntervalMs: (options.pollIntervalMs ?? 0.2) / delayFactor,
        transactionSenders: false,
      },
      deployments: [{ deployment, adapter }],
      client,
      writer,
      log: (level, message) => void logged.push(`${level}: ${message}`),
      clock: hurriedClock,
    })
    const abort = new AbortController()
    const done = indexer.run(abort.signal)
    running = {
      indexer,
      stop: async () => {
        abort.abort()
        await done
        await client.close()
        await writer.close()
      },
    }
  }

  async function stop(): Promise<void> {
    const current = running
    running = null
    await current?.stop()
  }

  function indexer(): ChainIndexer {
    if (running === null) throw new Error('the indexer is not running')
    return running.indexer
  }

  async function reachHead(timeoutMs: number): Promise<void> {
    const head = await chain.head()
    const deadlineMs = performance.now() + timeoutMs
    for (;;) {
      const { phase, indexedBlock, lastError } = indexer().status()
      if (phase === 'following' && indexedBlock === head) return
      if (phase === 'stopped') throw new Error(`the chain stopped: ${lastError}`)
      if (performance.now() > deadlineMs) {
        throw new Error(`at block ${indexedBlock} of ${head} (${phase}, ${lastError}) after ${timeoutMs} ms`)
      }
      await new Promise((done) => setTimeout(done, 5))
    }
  }

  return {
    path,
    start,
    stop,
    indexer,
    logged,
    reachHead,
    exportLines: () => exportAndClose(openSqliteReader(path, { projections })),
    remove: async () => {
      await stop()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
