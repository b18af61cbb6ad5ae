import { expect, test } from 'vitest'
import { firstCases } from '../harness/nightly.ts'
import { createPostgresWorld } from './postgresWorld.ts'
import { runSimulation } from './runSimulation.ts'

/** With SIMULATION_SEED, only this seed runs. */
const asked = process.env['SIMULATION_SEED']
const seeds = asked === undefined ? firstCases(1, [2, 1]) : [Number(asked)]

test.each(seeds)(
  'an index in PostgreSQL that lived through a simulated world equals the chain (seed %i)',
  async (seed) => {
    const { problems } = await runSimulation(seed, { createDatabase: createPostgresWorld })
    expect(problems).toEqual([])
  },
)
