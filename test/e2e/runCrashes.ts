import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect } from 'vitest'
import { spawnAttestry, type SpawnedAttestry } from '../harness/spawnAttestry.ts'
import { createRandom, mixSeeds, type Random } from '../simulator/random.ts'
import { createSimulatedChain, signShape, type SimulatedChain } from '../simulator/simulatedChain.ts'
import { startSimulatorServer, type SimulatorServer } from '../simulator/simulatorServer.ts'

export interface CrashesResult {
  /** The export of the index that was killed again and again, and that of one that nothing disturbed; without times. */
  readonly survived: readonly string[]
  readonly undisturbed: readonly string[]
  readonly chain: SimulatedChain
  /** What SQLite's own check of the database that was killed says. */
  readonly integrity: readonly unknown[]
  readonly kills: readonly Kill[]
}

export interface Kill {
  readonly phase: CrashPhase
  /** The newest block of the index that was left behind; null while there is none. */
  readonly checkpoint: number | null
  /** Whether the index had more to do before the blocks that the chain began with were done. */
  readonly halfway: boolean
}

/** In which part of its life a process is killed. */
type CrashPhase = 'starting' | 'backfilling' | 'following'

const finality = 12
const waitLimitMs = 60_000

/**
 * Kills the whole process `rounds` times with SIGKILL while the chain goes on growing and is reorganised, and starts it again
 * each time. What happens on the chain and which request a process does not survive is decided by `seed`; how far the
 * process has come within that moment is the machine's.
 */
export async function runCrashes(seed: number, rounds: number): Promise<CrashesResult> {
  const random = createRandom(mixSeeds(seed, 0xc4a5))
  const chain = createSimulatedChain({
    seed,
    shape: signShape({ blocks: 30, eventBlocks: 6, attestations: 18 }),
  })
  // Long enough for several commits of the backfill, and not done before the rounds that kill it are.
  const chainBlocks = 20_000 + rounds * 1_000
  chain.mine(chainBlocks)
  const folder = mkdtempSync(join(tmpdir(), 'attestry-crash-'))
  let onRequest: () => void = () => undefined
  const server = await startSimulatorServer(chain, {
    logRangeMax: 150,
    onRequest: () => onRequest(),
  })
  const processes: SpawnedAttestry[] = []
  const start = (config: string, command: 'index' | 'export'): SpawnedAttestry => {
    const spawned = spawnAttestry([command, '--config', config], { cwd: folder })
    processes.push(spawned)
    return spawned
  }
  try {
    const config = writeConfig(folder, 'killed', chain, server)
    const database = join(folder, 'killed.db')
    const kills: Kill[] = []
    for (const phase of planPhases(random, rounds)) {
      const child = start(config, 'index')
      await reachMoment(phase, child, database, random, chain, (listener) => {
        onRequest = listener
      })
      onRequest = () => undefined
      child.child.kill('SIGKILL')
      await child.waitForExit()
      const checkpoint = readCheckpoint(database)
      kills.push({ phase, checkpoint, halfway: checkpoint !== null && checkpoint < chainBlocks - finality })
    }
    // One block more than ever, so that no checkpoint of the index can pass for the head.
    chain.mine(1)
    const survived = await indexAndExport(config, chain, start)
    const undisturbed = await indexAndExport(writeConfig(folder, 'fresh', chain, server), chain, start)
    return { survived, undisturbed, chain, integrity: checkIntegrity(database), kills }
  } finally {
    for (const { child } of processes) child.kill('SIGKILL')
    await server.close()
    rmSync(folder, { recursive: true, force: true })
  }
}

/** First the start itself, then the backfill, then the head: each phase has its share, in the order of an index's life. */
function planPhases(random: Random, rounds: number): readonly CrashPhase[] {
  const phases: CrashPhase[] = ['starting']
  const backfilling = Math.ceil((rounds - 1) * 0.5)
  while (phases.length < rounds) {
    if (phases.length <= backfilling) phases.push('backfilling')
    else phases.push(random.chance(0.1) ? 'starting' : 'following')
  }
  return phases
}

/** Resolves at the moment at which the process is to die. */
async function reachMoment(
  phase: CrashPhase,
  { waitForLine }: SpawnedAttestry,
  database: string,
  random: Random,
  chain: SimulatedChain,
  listen: (onRequest: () => void) => void,
): Promise<void> {
  // Drawn before anything is waited for, so that the same seed draws the same numbers.
  const requests = phase === 'backfilling' ? random.integer(20, 140) : random.integer(1, 25)
  const delayMs = random.integer(0, 150)
  const history = createRandom(mixSeeds(random.integer(0, 2 ** 31), 1))
  if (phase === 'starting') {
    await expect.poll(() => existsSync(database), { timeout: waitLimitMs, interval: 5 }).toBe(true)
  } else {
    if (phase === 'following') await waitForLine(/reached the head/, waitLimitMs)
    await new Promise<void>((resolve, reject) => {
      const timer = setTimeout(() => reject(new Error('the process asks for nothing')), waitLimitMs)
      let left = requests
      listen(() => {
        if (phase === 'following') growOrReorganise(history, chain)
        left--
        if (left > 0) return
        clearTimeout(timer)
        resolve()
      })
    })
  }
  // The moment within what follows the request: a commit, as often as not.
  await new Promise((resolve) => setTimeout(resolve, delayMs))
  growOrReorganise(history, chain)
}

function growOrReorganise(random: Random, chain: SimulatedChain): void {
  if (random.chance(0.15)) {
    const depth = random.integer(1, finality)
    chain.reorganise(depth, depth + random.integer(0, 3))
  } else chain.mine(random.integer(0, 3))
}

async function indexAndExport(
  config: string,
  chain: SimulatedChain,
  start: (config: string, command: 'index' | 'export') => SpawnedAttestry,
): Promise<string[]> {
  const indexer = start(config, 'index')
  await indexer.waitForLine(new RegExp(`reached the head at block ${chain.head()}"`), waitLimitMs)
  indexer.child.kill('SIGTERM')
  const ended = await indexer.waitForExit()
  expect(ended).toMatchObject({ code: 0, stderr: '' })
  const exported = await start(config, 'export').waitForExit()
  expect(exported).toMatchObject({ code: 0, stderr: '' })
  return exported.stdout.trimEnd().split('\n').map(withoutTimes)
}

/** A line of the export without the times of storing; that a record was changed at all stays visible. */
function withoutTimes(line: string): string {
  const record = JSON.parse(line) as Record<string, unknown>
  if ('syncAt' in record) record.syncAt = typeof record.syncAt
  if ('lastSyncAt' in record) record.lastSyncAt = typeof record.lastSyncAt
  // The digest covers those times.
  if (record.type === 'end') delete record.sha256
  // When a claim was settled is history as well: an interrupted index settles it at another block.
  delete record.claim
  return JSON.stringify(record)
}

function writeConfig(folder: string, name: string, chain: SimulatedChain, server: SimulatorServer): string {
  const path = join(folder, `${name}.yaml`)
  writeFileSync(
    path,
    `database: sqlite:${name}.db
chains:
  - chainId: ${chain.chainId}
    name: Simulated
    rpc: ["${server.url}"]
    contracts: [{ protocol: sign, address: "${chain.contracts.sign}", startBlock: 0 }]
    finality: ${finality}
    pollIntervalMs: 10
`,
  )
  return path
}

/** Looks into the database as the killed process left it, before anybody mends it. */
function readCheckpoint(path: string): number | null {
  const database = new DatabaseSync(path, { readOnly: true, timeout: 5_000 })
  try {
    const row = database.prepare('SELECT checkpoint_block FROM chain').get()
    return typeof row?.checkpoint_block === 'number' ? row.checkpoint_block : null
  } catch {
    // The process died before the tables stood.
    return null
  } finally {
    database.close()
  }
}

function checkIntegrity(path: string): unknown[] {
  const database = new DatabaseSync(path)
  try {
    return database
      .prepare('PRAGMA integrity_check')
      .all()
      .map((row) => row.integrity_check)
  } finally {
    database.close()
  }
}
