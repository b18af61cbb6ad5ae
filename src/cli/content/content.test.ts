import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openSqliteBeside } from '../../store/beside/openSqliteBeside.ts'
import { describeContent } from './testing/contentSuite.ts'

describeContent(
  'SQLite',
  () => {
    const folder = mkdtempSync(join(tmpdir(), 'attestry-content-'))
    return Promise.resolve({
      open: (layout) => openSqliteBeside(join(folder, 'index.db.content'), layout),
      remove: () => Promise.resolve(rmSync(folder, { recursive: true, force: true })),
    })
  },
  { hasPages: true },
)
