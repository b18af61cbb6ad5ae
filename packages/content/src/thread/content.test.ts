import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openSqliteBeside } from '@attestry/store/beside/openSqliteBeside.ts'
import type { BesideLayout } from '@attestry/store/beside/besideDatabase.ts'
import { describeAgentFiles } from './testing/agentFilesSuite.ts'
import { describeContent } from './testing/contentSuite.ts'

const create = () => {
  const folder = mkdtempSync(join(tmpdir(), 'attestry-content-'))
  const path = join(folder, 'index.db')
  return Promise.resolve({
    config: { kind: 'sqlite', path } as const,
    open: (layout: BesideLayout) => openSqliteBeside(`${path}.content`, layout),
    remove: () => Promise.resolve(rmSync(folder, { recursive: true, force: true })),
  })
}

describeContent('SQLite', create, { hasPages: true })
describeAgentFiles('SQLite', create)
