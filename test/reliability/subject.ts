import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { createPostgresVictim, createSqliteVictim, type CrashVictim } from '../e2e/crashVictim.ts'
import type { PostgresServer } from '../harness/postgresServer.ts'
import { spawnAttestry, type ExitedAttestry, type SpawnedAttestry } from '../harness/spawnAttestry.ts'
import { compareExport } from '../simulation/compareExport.ts'
import { expectedIndex } from '../simulation/expectedIndex.ts'
import {
  createSimulatedChain,
  signShape,
  type ChainTraits,
  type SimulatedChain,
} from '../simulator/simulatedChain.ts'
import type { EndpointCharacter, SimulatedReply } from '../simulator/simulatedEndpoint.ts'
import { startSimulatorServer, type SimulatorServer } from '../simulator/simulatorServer.ts'

export interface SubjectTraits {
  /** Blocks that the chain has at first. */
  readonly blocks: number
  /** Differences of the chain from the usual one. */
  readonly traits?: Partial<ChainTraits>
}

/** A chain, its one endpoint and an empty database, with the program as a process of its own over them. */
export interface Subject {
  readonly chain: SimulatedChain
  readonly endpoint: SimulatorServer
  readonly database: CrashVictim
  /** The server of the database; null over SQLite. */
  readonly postgres: PostgresServer | null
  /** The character of the endpoint, and its replacement answers. Both may be changed at any time. */
  character: Partial<EndpointCharacter>
  instead: ((body: string, answer: () => SimulatedReply) => SimulatedReply | null) | null
  /** HTTP requests so far, answered or not. */
  requests(): number
  start(): SpawnedAttestry
  /** Waits until the database holds the chain's head; answers the seconds that passed. */
  reachHead(limitMs?: number): Promise<number>
  /** The same for any condition. */
  waitFor(what: string, isSo: () => boolean | Promise<boolean>, limitMs?: number): Promise<number>
  /** The lines of an export of the database. */
  exportLines(): Promise<readonly string[]>
  /** Ends the indexer by SIGTERM; answers how the index differs from the chain. */
  compare(indexer: SpawnedAttestry): Promise<readonly string[]>
  close(): Promise<void>
}

export const finality = 12
const headLimitMs = 90_000

let databaseCount = 0

export async function createSubject(
  run: number,
  { blocks, traits = {} }: SubjectTraits,
  postgres: PostgresServer | null,
): Promise<Subject> {
  const folder = mkdtempSync(join(tmpdir(), 'attestry-reliability-'))
  const chain = createSimulatedChain({
    seed: run,
    nowMs: Date.now,
    shape: signShape({ blocks: 30, eventBlocks: 6, attestations: 18 }),
    ...traits,
  })
  chain.mine(blocks)
  let requests = 0
  const endpoint = await startSimulatorServer(chain, {
    onRequest: () => void requests++,
    character: () => subject.character,
    instead: (body, answer) => subject.instead?.(body, answer) ?? null,
  })
  const victim =
    postgres === null
      ? await createSqliteVictim(folder)
      : createPostgresVictim(await postgres.createDatabase(`reliability${databaseCount++}`))
  // The file of SQLite comes into being when the program starts.
  const readCheckpoint = async () => ((await victim.exists()) ? victim.readCheckpoint() : null)
  const database: CrashVictim = { ...victim, readCheckpoint }
  const config = join(folder, 'attestry.yaml')
  writeFileSync(config, configOf(database.url, chain, endpoint.url))
  const processes: SpawnedAttestry[] = []

  function spawn(command: 'index' | 'export'): SpawnedAttestry {
    const spawned = spawnAttestry([command, '--config', config], { cwd: folder })
    processes.push(spawned)
    return spawned
  }

  async function waitFor(what: string, isSo: () => boolean | Promise<boolean>, limitMs = headLimitMs) {
    const startedMs = performance.now()
    while (!(await isSo())) {
      if (performance.now() - startedMs > limitMs) throw new Error(`${what}: not within ${limitMs / 1_000} s`)
      await delay(20)
    }
    return (performance.now() - startedMs) / 1_000
  }

  async function exportLines(): Promise<readonly string[]> {
    return succeeded(await spawn('export').waitForExit())
      .stdout.trimEnd()
      .split('\n')
  }

  const subject: Subject = {
    chain,
    endpoint,
    database,
    postgres,
    character: { logRange: { max: 500, refusal: 5 } },
    instead: null,
    requests: () => requests,
    start: () => spawn('index'),
    waitFor,
    reachHead: (limitMs) =>
      waitFor('the head', async () => (await database.readCheckpoint()) === chain.head(), limitMs),
    exportLines,
    async compare(indexer) {
      indexer.child.kill('SIGTERM')
      succeeded(await indexer.waitForExit())
      const contracts = { name: 'Simulated', sign: 0, eas: null, transactionSenders: false }
      return compareExport(await exportLines(), expectedIndex(chain, contracts))
    },
    async close() {
      for (const { child } of processes) child.kill('SIGKILL')
      await endpoint.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
  return subject
}

function succeeded(exited: ExitedAttestry): ExitedAttestry {
  if (exited.code !== 0) throw new Error(`exit ${exited.code}: ${exited.stdout.slice(-500)}${exited.stderr}`)
  return exited
}

function configOf(database: string, chain: SimulatedChain, url: string): string {
  return `database: ${database}
chains:
  - chainId: ${chain.chainId}
    name: Simulated
    rpc: ["${url}"]
    contracts: [{ protocol: sign, address: "${chain.contracts.sign}", startBlock: 0 }]
    finality: ${finality}
    pollIntervalMs: 500
`
}
