import { expect, test } from 'vitest'
import { differingLines } from '../harness/differingLines.ts'
import { expectCrashed } from './expectCrashed.ts'
import { runCrashes } from './runCrashes.ts'

/** CRASH_SEED repeats the run of one seed: `CRASH_SEED=17 npx vitest run test/e2e/crash`. */
const seed = Number(process.env.CRASH_SEED ?? 2)

test(`an index that was killed three times equals an undisturbed one (seed ${seed})`, async () => {
  const result = await runCrashes(seed, 3)
  expect(differingLines(result.survived, result.undisturbed)).toEqual([])
  expectCrashed(result)
})
