import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'vitest'
import { spawnAttestry, type SpawnedAttestry } from '../harness/spawnAttestry.ts'
import { comparableLines } from '../harness/withoutTimes.ts'
import { createRandom, mixSeeds, type Random } from '../simulator/random.ts'
import { createSimulatedChain, signShape, type SimulatedChain } from '../simulator/simulatedChain.ts'
import type { EndpointCharacter } from '../simulator/simulatedEndpoint.ts'
import { startSimulatorServer, type SimulatorServer } from '../simulator/simulatorServer.ts'
import { createSqliteVictim, type CrashVictim } from './crashVictim.ts'

export interface CrashesResult {
  /** Exports without times: of the index whose writer was killed, and of an undisturbed index. */
  readonly survived: readonly string[]
  readonly undisturbed: readonly string[]
  readonly chain: SimulatedChain
  /** The result of the integrity check of the survived database. */
  readonly integrity: readonly unknown[]
  readonly kills: readonly Kill[]
}

export interface Kill {
  readonly phase: CrashPhase
  /** The checkpoint after the kill; null before the first commit. */
  readonly checkpoint: number | null
  /** Whether the backfill of the initial blocks had committed and was not finished. */
  readonly halfway: boolean
}

/** The phase in which a process is killed. */
type CrashPhase = 'starting' | 'backfilling' | 'following'

const finality = 12
const waitLimitMs = 60_000
/** The latency of an endpoint that is made slow. */
const slowMs = 300

/**
 * Kills the indexer `rounds` times with SIGKILL while the chain grows and is reorganised, and starts it again each
 * time. `seed` decides the chain and the request at which a process is killed; the progress of the process at this
 * moment depends on the machine. `createVictim` creates the database in a folder.
 */
export async function runCrashes(
  seed: number,
  rounds: number,
  createVictim: (folder: string) => Promise<CrashVictim> = createSqliteVictim,
): Promise<CrashesResult> {
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
  let latencyMs = 0
  let logNumbering: EndpointCharacter['logNumbering'] = 'any'
  const server = await startSimulatorServer(chain, {
    logRangeMax: 150,
    onRequest: () => onRequest(),
    // The index that is killed follows an endpoint that numbers logs in ever other ways, the undisturbed one does not.
    character: () => ({ latencyMs: { min: latencyMs, max: latencyMs }, logNumbering }),
  })
  const processes: SpawnedAttestry[] = []
  const start = (config: string, command: 'index' | 'export'): SpawnedAttestry => {
    const spawned = spawnAttestry([command, '--config', config], { cwd: folder })
    processes.push(spawned)
    return spawned
  }
  try {
    const victim = await createVictim(folder)
    const config = writeConfig(folder, 'killed', victim.url, chain, server)
    const kills: Kill[] = []
    const phases = planPhases(random, rounds)
    for (const [round, phase] of phases.entries()) {
      const child = start(config, 'index')
      await reachMoment(phase, child, victim, random, chain, (listener) => {
        onRequest = listener
      })
      // How far these requests lead depends on the machine. The last kill of the backfill must interrupt it halfway.
      if (phase === 'backfilling' && phases[round + 1] !== 'backfilling') {
        // A slow endpoint makes the backfill commit before its end; with a fast one a single commit may hold all of it.
        latencyMs = slowMs
        const hasCommitted = async () => (await victim.readCheckpoint()) !== null
        await expect.poll(hasCommitted, { timeout: waitLimitMs, interval: 5 }).toBe(true)
      }
      onRequest = () => undefined
      latencyMs = 0
      child.child.kill('SIGKILL')
      await child.waitForExit()
      const checkpoint = await victim.readCheckpoint()
      kills.push({ phase, checkpoint, halfway: checkpoint !== null && checkpoint < chainBlocks - finality })
    }
    // One block above the highest head so far, so that no earlier checkpoint equals the head.
    chain.mine(1)
    const survived = await indexAndExport(config, chain, start)
    const fresh = writeConfig(folder, 'fresh', 'sqlite:fresh.db', chain, server)
    logNumbering = 'block'
    const undisturbed = await indexAndExport(fresh, chain, start)
    return { survived, undisturbed, chain, integrity: await victim.checkIntegrity(), kills }
  } finally {
    for (const { child } of processes) child.kill('SIGKILL')
    await server.close()
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Kills during the start, then during the backfill, then at the head. */
function planPhases(random: Random, rounds: number): readonly CrashPhase[] {
  const phases: CrashPhase[] = ['starting']
  const backfilling = Math.ceil((rounds - 1) * 0.5)
  while (phases.length < rounds) {
    if (phases.length <= backfilling) phases.push('backfilling')
    else phases.push(random.chance(0.1) ? 'starting' : 'following')
  }
  return phases
}

/** Resolves when the process is to be killed. */
async function reachMoment(
  phase: CrashPhase,
  { waitForLine }: SpawnedAttestry,
  victim: CrashVictim,
  random: Random,
  chain: SimulatedChain,
  listen: (onRequest: () => void) => void,
): Promise<void> {
  // Draws before the first await, so that the same seed draws the same numbers.
  const requests = phase === 'backfilling' ? random.integer(20, 140) : random.integer(1, 25)
  const delayMs = random.integer(0, 150)
  const history = createRandom(mixSeeds(random.integer(0, 2 ** 31), 1))
  if (phase === 'starting') {
    await expect.poll(() => victim.exists(), { timeout: waitLimitMs, interval: 5 }).toBe(true)
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
  // A moment after the request, often during a commit.
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
  return comparableLines(exported.stdout)
}

function writeConfig(
  folder: string,
  name: string,
  database: string,
  chain: SimulatedChain,
  server: SimulatorServer,
): string {
  const path = join(folder, `${name}.yaml`)
  writeFileSync(
    path,
    `database: ${database}
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
