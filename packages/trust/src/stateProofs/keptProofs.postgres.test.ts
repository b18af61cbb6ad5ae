import { openPostgresBeside } from '@attestry/store/beside/openPostgresBeside.ts'
import { createPostgresDatabase } from '@attestry/test/harness/postgresDatabase.ts'
import { keptProofsLayout } from './keptProofs.ts'
import { testKeptProofs } from './testing/keptProofsSuite.ts'

testKeptProofs(async () => {
  const { url, remove } = await createPostgresDatabase()
  return { database: openPostgresBeside(url, keptProofsLayout), remove }
})
