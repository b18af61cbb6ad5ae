import { afterAll, beforeAll, expect, test } from 'vitest'
import { findFieldProblems } from '../harness/fieldProblems.ts'
import { expectFieldsRepaired, fieldDamages } from './fieldDamages.ts'
import {
  createVerifiedFolder,
  damage,
  indexChain,
  serveChain,
  type ServedChain,
  type VerifiedFolder,
} from './verifiedIndex.ts'

let served: ServedChain
let index: VerifiedFolder

beforeAll(async () => {
  served = await serveChain(7, 200)
  index = await createVerifiedFolder(served)
})
afterAll(async () => {
  index.remove()
  await served.server.close()
})

test('the index of decoded fields of a chain is that of its payloads', async () => {
  const { problems, postings } = await findFieldProblems(index.copy())
  expect(problems).toEqual([])
  expect(postings).toBeGreaterThan(50)
})

test.each(fieldDamages)(
  'an index of fields of which %s is found to be so, and repaired',
  async (_, sql, subject) => {
    const database = index.copy()
    damage(database, sql)
    await expectFieldsRepaired(
      {
        database,
        verify: (flags) => index.verify(database, flags),
        goOn: () => indexChain(served, database),
      },
      [subject],
    )
  },
)
