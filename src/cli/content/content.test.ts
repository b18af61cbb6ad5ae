import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openSqliteBeside } from '../../store/beside/openSqliteBeside.ts'
import type { BesideLayout } from '../../store/beside/besideDatabase.ts'
import { describeAgentFiles } from './testing/agentFilesSuite.ts'
import { describeContent } from './testing/contentSuite.ts'

const create = () => {
  const folder = mkdtempSync(join(tmpdir(), 'attestry-content-'))
  return Promise.resolve({
    open: (layout: BesideLayout) => openSqliteBeside(join(folder, 'index.db.content'), layout),
    remove: () => Promise.resolve(rmSync(folder, { recursive: true, force: true })),
  })
}

describeContent('SQLite', create, { hasPages: true })
describeAgentFiles('SQLite', create)
