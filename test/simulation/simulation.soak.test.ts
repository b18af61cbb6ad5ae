import { expect, test } from 'vitest'
import { createPostgresWorld } from './postgresWorld.ts'
import { expectSimulation } from './expectSimulation.ts'
import type { SimulationFigures, SimulationOptions } from './runSimulation.ts'

/**
 * The simulation for long: SIMULATION_SEEDS short lives (10,000) from seed SIMULATION_FROM (1) on, then long lives one
 * after the other for SIMULATION_MINUTES (60), and SIMULATION_POSTGRES_SEEDS short lives (1,000) over PostgreSQL.
 * SIMULATION_SEED repeats one life, with SIMULATION_ACTIONS where it was a long one. TMPDIR on a disk in memory makes
 * it several times as fast.
 */
const { env } = process
const seedCount = Number(env['SIMULATION_SEEDS'] ?? 10_000)
const firstSeed = Number(env['SIMULATION_FROM'] ?? 1)
const postgresSeedCount = Number(env['SIMULATION_POSTGRES_SEEDS'] ?? 1_000)
const minutes = Number(env['SIMULATION_MINUTES'] ?? 60)
const asked = env['SIMULATION_SEED']
const longLifeActions = 1_000
const limitMs = 5 * 3_600_000

test.runIf(asked !== undefined)(
  'one life equals the chain at its end',
  async () => {
    const actions = env['SIMULATION_ACTIONS']
    await expectSimulation(Number(asked), {
      tellsStory: true,
      ...(actions === undefined ? {} : { actions: Number(actions) }),
    })
  },
  limitMs,
)

test.skipIf(asked !== undefined)(
  'every one of many short lives equals the chain at its end',
  async () => {
    expect(await liveOn(firstSeed, (done) => done < seedCount, {})).toEqual([])
  },
  limitMs,
)

test.skipIf(asked !== undefined)(
  'long lives equal the chain at their ends',
  async () => {
    const untilMs = performance.now() + minutes * 60_000
    const goesOn = () => performance.now() < untilMs
    expect(await liveOn(1_000_000 + firstSeed, goesOn, { actions: longLifeActions })).toEqual([])
  },
  limitMs,
)

test.skipIf(asked !== undefined)(
  'every one of many short lives over PostgreSQL equals the chain at its end',
  async () => {
    const overPostgres = { createDatabase: createPostgresWorld }
    expect(await liveOn(firstSeed, (done) => done < postgresSeedCount, overPostgres)).toEqual([])
  },
  limitMs,
)

/** Lives one seed after the other, all to their end, and answers what failed. */
async function liveOn(
  fromSeed: number,
  goesOn: (done: number) => boolean,
  options: SimulationOptions,
): Promise<readonly string[]> {
  const failures: string[] = []
  const sum = { lives: 0, stopped: 0, crashes: 0, reorganisations: 0, requests: 0, events: 0 }
  let toldMs = performance.now()
  for (let seed = fromSeed; goesOn(seed - fromSeed); seed++) {
    try {
      add(sum, await expectSimulation(seed, options))
    } catch (error) {
      failures.push(error instanceof Error ? error.message : String(error))
      process.stdout.write(`${failures.at(-1)}\n`)
    }
    if (performance.now() - toldMs < 30_000) continue
    toldMs = performance.now()
    process.stdout.write(`at seed ${seed}, ${failures.length} failed: ${JSON.stringify(sum)}\n`)
  }
  process.stdout.write(`${JSON.stringify(sum)}\n`)
  return failures
}

function add(
  sum: Record<'lives' | 'stopped' | 'crashes' | 'reorganisations' | 'requests' | 'events', number>,
  figures: SimulationFigures,
): void {
  sum.lives++
  if (figures.ending === 'stopped') sum.stopped++
  for (const key of ['crashes', 'reorganisations', 'requests', 'events'] as const) sum[key] += figures[key]
}
