import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createChainClient } from '../../src/chain/createChainClient.ts'
import { parseAddress } from '../../src/model/hex.ts'
import { findProtocol } from '../../src/protocols/registry.ts'
import { migrateSqlite } from '../../src/store/sqlite/migrateSqlite.ts'
import { openSqliteReader } from '../../src/store/sqlite/openSqliteReader.ts'
import { openSqliteWriter } from '../../src/store/sqlite/openSqliteWriter.ts'
import { createChainIndexer, type ChainIndexer } from '../../src/sync/chainIndexer.ts'
import type { SimulatedChain } from '../simulator/simulatedChain.ts'

/** An index of a simulated chain in a database of its own, whose indexer can be stopped and started again. */
export interface SimulatedIndex {
  readonly path: string
  start(): void
  stop(): Promise<void>
  /** Waits until the index has reached the head of the chain; rejects when it stops or takes longer than `timeoutMs`. */
  reachHead(timeoutMs: number): Promise<void>
  /** The exported index without times of storing. */
  exportLines(): Promise<string[]>
  indexer(): ChainIndexer
  /** What the indexer logged, newest last. */
  readonly logged: readonly string[]
  remove(): Promise<void>
}

export function createSimulatedIndex(
  chain: SimulatedChain,
  urls: readonly string[],
  options: { readonly finality: number },
): SimulatedIndex {
  const folder = mkdtempSync(join(tmpdir(), 'attestry-simulation-'))
  const path = join(folder, 'index.db')
  const logged: string[] = []
  let running: { indexer: ChainIndexer; stop: () => Promise<void> } | null = null
  migrateSqlite(path)

  function start(): void {
    const writer = openSqliteWriter(path)
    const client = createChainClient({
      chainId: chain.chainId,
      endpoints: urls,
      requestTimeoutMs: 2_000,
      retryDelayMs: 1,
    })
    const adapter = findProtocol('sign')
    const address = parseAddress(chain.contract)
    if (adapter === null || address === null) throw new Error('the simulated chain has no usable contract')
    const deployment = { protocol: 'sign', chainId: chain.chainId, address, schemaRegistry: null, startBlock: 0 }
    const indexer = createChainIndexer({
      chain: {
        chainId: chain.chainId,
        name: 'Simulated',
        finality: options.finality,
        pollIntervalMs: 10,
        transactionSenders: false,
      },
      deployments: [{ deployment, adapter }],
      client,
      writer,
      log: (level, message) => void logged.push(`${level}: ${message}`),
      delayFactor: 0.02,
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

  return {
    path,
    start,
    stop,
    indexer,
    logged,
    reachHead: async (timeoutMs) => {
      const deadline = performance.now() + timeoutMs
      for (;;) {
        const { phase, indexedBlock, lastError } = indexer().status()
        if (phase === 'following' && indexedBlock === chain.head()) return
        if (phase === 'stopped') throw new Error(`the chain stopped: ${lastError}`)
        if (performance.now() > deadline) {
          throw new Error(`at block ${indexedBlock} of ${chain.head()} (${phase}, ${lastError}) after ${timeoutMs} ms`)
        }
        await new Promise((done) => setTimeout(done, 5))
      }
    },
    exportLines: async () => {
      const reader = openSqliteReader(path)
      try {
        const lines: string[] = []
        for await (const line of reader.exportLines({ times: false })) lines.push(line)
        return lines
      } finally {
        await reader.close()
      }
    },
    remove: async () => {
      await stop()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
