import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { migrateSqlite } from '@attestry/store/sqlite/migrateSqlite.ts'
import { openSqliteAudit } from '@attestry/store/sqlite/openSqliteAudit.ts'
import { openSqliteWriter } from '@attestry/store/sqlite/openSqliteWriter.ts'
import { allFields } from '../harness/fieldIndexing.ts'
import { findFieldProblems } from '../harness/fieldProblems.ts'
import { createVerifiedFolder, indexChainWith, serveChain } from './verifiedIndex.ts'
import { projections } from '../harness/projections.ts'

test('an index of fields whose build is killed again and again becomes that of a chain indexed with fields', async () => {
  const served = await serveChain(7, 200)
  const index = await createVerifiedFolder(served)
  try {
    const path = join(index.folder, 'killed.db')
    migrateSqlite(path, { rankThreshold: 8, projections })
    await indexChainWith(openSqliteWriter(path, { projections }), served)
    const audit = openSqliteAudit(path, { ...allFields, projections })
    const [chain] = await audit.listChains()
    await audit.close()
    const build = (killedAt: number) => {
      const program = new URL('killedFieldBuild.ts', import.meta.url).pathname
      return spawnSync(process.execPath, [program, path, JSON.stringify(chain?.identity), String(killedAt)])
    }

    const built = [(await findFieldProblems(path)).postings]
    for (const killedAt of [30, 10, 50]) {
      expect(build(killedAt).signal).toBe('SIGKILL')
      expect(await index.verify(path, { offline: true })).toMatchObject({ right: true })
      built.push((await findFieldProblems(path)).postings)
    }
    // The second life ends before its first commit; the others leave a part of the index.
    const [none = 0, first = 0, second = 0, third = 0] = built
    expect(none).toBe(0)
    expect(first).toBeGreaterThan(none)
    expect(second).toBe(first)
    expect(third).toBeGreaterThan(second)
    expect(build(0)).toMatchObject({ signal: null, status: 0 })
    const fresh = await findFieldProblems(index.copy())
    expect(fresh.postings).toBeGreaterThan(third)
    expect(await findFieldProblems(path)).toEqual({ problems: [], postings: fresh.postings })
  } finally {
    index.remove()
    await served.server.close()
  }
})
