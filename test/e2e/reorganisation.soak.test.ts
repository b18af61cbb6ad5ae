import { describe, expect, test } from 'vitest'
import { expectReorganised } from './expectReorganised.ts'
import { runReorganisations } from './runReorganisations.ts'

/** REORGANISATION_SEED repeats the run of one seed. */
const seeds =
  process.env.REORGANISATION_SEED === undefined
    ? Array.from({ length: 40 }, (_, i) => 1_000 + i)
    : [Number(process.env.REORGANISATION_SEED)]

describe('an index of a real chain that was reorganised for long', () => {
  test.each(seeds)('equals a fresh index of the final chain, and the truth (seed %i)', async (seed) => {
    const result = await runReorganisations(seed, 250)
    expect(result.fresh).toEqual([result.survived, result.survived])
    expectReorganised(result)
  })
})
