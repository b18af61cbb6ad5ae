import { expect, test } from 'vitest'
import { createPostgresWorld } from './postgresWorld.ts'
import { runSimulation } from './runSimulation.ts'

/** With SIMULATION_SEED, only this seed runs. */
const asked = process.env['SIMULATION_SEED']
const seeds = asked === undefined ? Array.from({ length: 2 }, (_, i) => i + 1) : [Number(asked)]

test.each(seeds)(
  'an index in PostgreSQL that lived through a simulated world equals the chain (seed %i)',
  async (seed) => {
    const { problems } = await runSimulation(seed, { createDatabase: createPostgresWorld })
    expect(problems).toEqual([])
  },
)
