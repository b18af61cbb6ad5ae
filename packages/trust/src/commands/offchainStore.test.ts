import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { offchainLayout } from '../offchainStore/offchainDatabase.ts'
import { openSqliteBeside } from '@attestry/store/beside/openSqliteBeside.ts'
import { describeOffchainStore } from './testing/storeSuite.ts'

describeOffchainStore('SQLite', () => {
  const folder = mkdtempSync(join(tmpdir(), 'attestry-store-'))
  return Promise.resolve({
    open: (layout = offchainLayout) => openSqliteBeside(join(folder, 'index.db.offchain'), layout),
    remove: () => Promise.resolve(rmSync(folder, { recursive: true, force: true })),
  })
})
