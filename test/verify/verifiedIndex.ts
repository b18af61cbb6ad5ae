import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { createChainClient } from '@attestry/core/chain/createChainClient.ts'
import { loadConfig } from '@attestry/host/config/loadConfig.ts'
import { knownProtocols } from '@attestry/host/config/resolveChains.ts'
import { runVerify, type VerifyFlags } from '@attestry/verify/commands/runVerify.ts'
import { IndexDiffersError } from '@attestry/core/errors/storeErrors.ts'
import { systemClock, type Clock } from '@attestry/core/model/clock.ts'
import { parseAddress, zeroAddress } from '@attestry/core/model/hex.ts'
import { findProtocol } from '@attestry/core/protocols/registry.ts'
import { migrateSqlite } from '@attestry/store/sqlite/migrateSqlite.ts'
import { openSqliteReader } from '@attestry/store/sqlite/openSqliteReader.ts'
import { openSqliteWriter } from '@attestry/store/sqlite/openSqliteWriter.ts'
import { exportAndClose } from '@attestry/store/testing/storeFactory.ts'
import type { IndexWriter } from '@attestry/core/index/indexWriter.ts'
import { createChainIndexer } from '@attestry/core/sync/chainIndexer.ts'
import { allFields } from '../harness/fieldIndexing.ts'
import {
  createSimulatedChain,
  noEvents,
  type SimulatedChain,
  type SimulatedChainOptions,
} from '../simulator/simulatedChain.ts'
import { startSimulatorServer, type SimulatorServer } from '../simulator/simulatorServer.ts'
import { projections } from '../harness/projections.ts'

/** The finality of the verified chains, in blocks. */
export const finality = 12

/** A chain with both protocols, and an endpoint that serves it. */
export interface ServedChain {
  readonly chain: Pick<SimulatedChain, 'chainId' | 'head'> & {
    readonly contracts: Pick<SimulatedChain['contracts'], 'sign' | 'eas' | 'schemaRegistry'>
  }
  readonly server: Pick<SimulatorServer, 'url' | 'close'>
}

export async function serveChain(seed: number, blocks: number): Promise<ServedChain> {
  const chain = createSimulatedChain(verifiedChainOptions(seed, blocks))
  return { chain, server: await startSimulatorServer(chain) }
}

/** A chain with events of every kind. */
export function verifiedChainOptions(seed: number, blocks: number): SimulatedChainOptions {
  return {
    seed,
    blocks,
    hasUnreadable: true,
    hasPayloads: true,
    shape: {
      blocks: 16,
      eventBlocks: 9,
      events: {
        ...noEvents,
        signSchema: 1,
        signAttestation: 8,
        signRevocation: 2,
        signAnchor: 1,
        easSchema: 1,
        easAttestation: 6,
        easRevocation: 1,
        easAnchor: 1,
        malformed: 1,
      },
    },
  }
}

/** Indexes a chain into the database at `path`, from its checkpoint up to its head. */
export async function indexChain(served: ServedChain, path: string, rankThreshold = 8): Promise<void> {
  migrateSqlite(path, { rankThreshold, projections })
  await indexChainWith(openSqliteWriter(path, { fields: allFields, projections }), served)
}

/** As `indexChain`, through a writer, which is closed afterwards. */
export async function indexChainWith(
  writer: IndexWriter,
  { chain, server }: ServedChain,
  clock: Clock = systemClock,
): Promise<void> {
  const client = createChainClient({ chainId: chain.chainId, endpoints: [server.url] })
  const abort = new AbortController()
  let reached = () => undefined as void
  const atHead = new Promise<void>((resolve) => {
    reached = resolve
  })
  const indexer = createChainIndexer({
    chain: {
      chainId: chain.chainId,
      name: 'Simulated',
      finality,
      pollIntervalMs: 5,
      transactionSenders: false,
    },
    deployments: contractsOf(chain).map((deployment) => {
      const adapter = findProtocol(deployment.protocol)
      if (adapter === null) throw new Error('the protocol is known')
      return { deployment: { ...deployment, chainId: chain.chainId }, adapter }
    }),
    client,
    writer,
    log: () => undefined,
    clock,
    onStatus: ({ phase, indexedBlock, lastError }) => {
      if (phase === 'stopped') throw new Error(`the chain stopped: ${lastError}`)
      if (phase === 'following' && indexedBlock === chain.head()) reached()
    },
  })
  const done = indexer.run(abort.signal)
  await atHead
  abort.abort()
  await done
  await client.close()
  while (!(await writer.advanceFields(chain.chainId)).isDone);
  await writer.close()
}

function contractsOf({ contracts }: ServedChain['chain']) {
  const address = (text: string) => parseAddress(text) ?? zeroAddress
  return [
    { protocol: 'sign', address: address(contracts.sign), schemaRegistry: null, startBlock: 0 },
    {
      protocol: 'eas',
      address: address(contracts.eas),
      schemaRegistry: address(contracts.schemaRegistry),
      startBlock: 0,
    },
  ]
}

/** The output of a verification, and whether it found no difference. */
export interface Verified {
  readonly right: boolean
  readonly lines: readonly Record<string, unknown>[]
}

/** A folder with an index of a chain, and copies of the index to damage. */
export interface VerifiedFolder {
  readonly folder: string
  /** Makes a copy of the index; returns its path. */
  copy(): string
  verify(path: string, flags?: VerifyFlags): Promise<Verified>
  remove(): void
}

export async function createVerifiedFolder(
  served: ServedChain,
  urls = [served.server.url],
): Promise<VerifiedFolder> {
  const folder = mkdtempSync(join(tmpdir(), 'attestry-verify-'))
  const original = join(folder, 'original.db')
  await indexChain(served, original)
  let copies = 0
  return {
    folder,
    copy: () => {
      const path = join(folder, `copy-${copies++}.db`)
      copyFileSync(original, path)
      return path
    },
    verify: (path, flags = {}) => verifyDatabase(folder, path, served.chain, urls, flags),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  }
}

/** Runs `attestry verify` on the database at `path`, which may be a URL; its configuration goes into the folder. */
export async function verifyDatabase(
  folder: string,
  path: string,
  chain: ServedChain['chain'],
  urls: readonly string[],
  flags: VerifyFlags,
): Promise<Verified> {
  const file = join(folder, 'attestry.yaml')
  const { sign, eas, schemaRegistry } = chain.contracts
  writeFileSync(
    file,
    `database: ${path.includes('://') ? path : `sqlite:${path}`}
chains:
  - chainId: ${chain.chainId}
    name: Simulated
    rpc: ${JSON.stringify(urls)}
    finality: ${finality}
    contracts:
      - { protocol: sign, address: "${sign}", startBlock: 0 }
      - { protocol: eas, address: "${eas}", schemaRegistry: "${schemaRegistry}", startBlock: 0 }
`,
  )
  const config = loadConfig(file, {
    environment: {},
    known: knownProtocols,
    flags: {},
    endpointsNeeded: false,
  })
  const lines: Record<string, unknown>[] = []
  const write = (line: string) =>
    Promise.resolve(void lines.push(JSON.parse(line) as Record<string, unknown>))
  try {
    await runVerify(config, { seed: '1', ...flags, json: true }, write, new AbortController().signal, 3_000)
    return { right: true, lines }
  } catch (error) {
    if (!(error instanceof IndexDiffersError)) throw error
    return { right: false, lines }
  }
}

/** The export of an index, without times of storing. */
export function exportIndex(path: string): Promise<string[]> {
  return exportAndClose(openSqliteReader(path, { projections }))
}

/** Damages a database by plain SQL. */
export function damage(path: string, sql: string): void {
  const database = new DatabaseSync(path)
  try {
    database.exec('BEGIN')
    const before = countChanges(database)
    database.exec(sql)
    if (countChanges(database) === before) throw new Error(`nothing was damaged by ${sql}`)
    database.exec('COMMIT')
  } finally {
    database.close()
  }
}

/** Changes rows without one of the SQLite indexes, so that the index contradicts the table. */
export function damageIndex(path: string, name: string, sql: string): void {
  const database = new DatabaseSync(path, { defensive: false })
  const row = database
    .prepare('SELECT type, name, tbl_name, rootpage, sql FROM sqlite_schema WHERE name = ?')
    .get(name)
  if (row === undefined) throw new Error(`there is no index ${name}`)
  const withSchema = (change: () => void) => {
    database.exec('PRAGMA writable_schema = ON')
    change()
    database.exec('PRAGMA writable_schema = RESET')
  }
  try {
    withSchema(() => void database.prepare('DELETE FROM sqlite_schema WHERE name = ?').run(name))
    database.exec(sql)
    withSchema(() => {
      const insert = database.prepare('INSERT INTO sqlite_schema VALUES (?, ?, ?, ?, ?)')
      insert.run(...['type', 'name', 'tbl_name', 'rootpage', 'sql'].map((column) => row[column] ?? null))
    })
  } finally {
    database.close()
  }
}

function countChanges(database: DatabaseSync): number {
  return Number(database.prepare('SELECT total_changes() AS n').get()?.n)
}
