import { expect, test } from 'vitest'
import { differingLines } from '../harness/differingLines.ts'
import { createPostgresDatabase } from '../harness/postgresDatabase.ts'
import { createPostgresVictim } from './crashVictim.ts'
import { expectCrashed } from './expectCrashed.ts'
import { runCrashes } from './runCrashes.ts'

/** CRASH_SEED repeats the run of one seed. */
const seed = Number(process.env.CRASH_SEED ?? 2)

test(`an index in PostgreSQL whose writer was killed three times equals an undisturbed one (seed ${seed})`, async () => {
  const database = await createPostgresDatabase()
  const result = await runCrashes(seed, 3, () => Promise.resolve(createPostgresVictim(database.url)))
  expect(differingLines(result.survived, result.undisturbed)).toEqual([])
  expectCrashed(result)
  await database.remove()
}, 400_000)
