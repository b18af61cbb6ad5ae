import { describe, expect, test } from 'vitest'
import { expectSimulation } from './expectSimulation.ts'
import { runSimulation } from './runSimulation.ts'
import { firstCases, nightTest } from '../harness/nightly.ts'

/** With SIMULATION_SEED, only this seed runs, and its story is printed. */
const asked = process.env['SIMULATION_SEED']
/** Lives that once ended wrong, beyond the first ones. */
const regressions = [68, 204, 350, 687, 972, 1_643, 3_452, 4_131, 4_347, 7_992, 52_480]
const seeds =
  asked === undefined
    ? [...firstCases(4, [1, 2, 3, 4, 5, 6, 7, 8]), ...firstCases(6, regressions)]
    : [Number(asked)]

describe('an index that lived through a simulated world', () => {
  test.each(seeds)(
    'equals the chain, or stopped for what no index can follow (seed %i)',
    async (seed) => {
      await expectSimulation(seed, { tellsStory: asked !== undefined })
    },
    60_000,
  )

  nightTest('lives the same life again from the same seed', async () => {
    const first = await runSimulation(7)
    const second = await runSimulation(7)
    expect(second).toEqual(first)
    expect(first.figures.requests).toBeGreaterThan(10)
    expect((await runSimulation(46)).figures.messages).toBeGreaterThan(100)
    expect(first.figures.postings).toBeGreaterThan(10)
    expect((await runSimulation(8)).story).not.toEqual(first.story)
  })
})
