import { openSqliteBeside } from '@attestry/store/beside/openSqliteBeside.ts'
import { createSqliteTestStore } from '@attestry/test/harness/sqliteTestStore.ts'
import { keptProofsLayout } from './keptProofs.ts'
import { testKeptProofs } from './testing/keptProofsSuite.ts'

testKeptProofs(async () => {
  const { path, remove } = createSqliteTestStore({ rankThreshold: 1 })
  return { database: openSqliteBeside(`${path}.proofs`, keptProofsLayout), remove }
})
