import { allFields } from '../harness/fieldIndexing.ts'
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Difference } from '@attestry/core/index/indexAudit.ts'
import { newestLayout } from '@attestry/store/layout/layoutSteps.ts'
import { openPostgresAudit } from '@attestry/store/postgres/openPostgresAudit.ts'
import { migratePostgres } from '@attestry/store/postgres/migratePostgres.ts'
import { postgresLayout } from '@attestry/store/postgres/migrations.ts'
import { openPostgresReader } from '@attestry/store/postgres/openPostgresReader.ts'
import { openPostgresWriter } from '@attestry/store/postgres/openPostgresWriter.ts'
import { exportAndClose } from '@attestry/store/testing/storeFactory.ts'
import { nightTest } from '../harness/nightly.ts'
import { createPostgresDatabase } from '../harness/postgresDatabase.ts'
import { exportIndex, indexChain, indexChainWith, type ServedChain } from '../verify/verifiedIndex.ts'
import { fixtureHead, fixtureRankThreshold, fixtures, unpackPostgresFixture } from './fixtures.ts'
import { laterPostgresLayout } from './laterLayout.ts'
import { readTables, runStatement } from './postgresTables.ts'
import { loadRecordedChain, serveRecordedChain } from './recordedChain.ts'
import { projections } from '../harness/projections.ts'

const recorded = loadRecordedChain()
let folder = ''
/** The chain up to the checkpoint of the fixtures, and up to its end; the export of a fresh index of each. */
let early: ServedChain
let late: ServedChain
let freshEarly: readonly string[]
let freshLate: readonly string[]

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'attestry-upgrade-'))
  early = await serve(fixtureHead)
  late = await serve(recorded.blocks.length - 1)
  freshEarly = await indexAfresh(early, 'early.db')
  freshLate = await indexAfresh(late, 'late.db')
})
afterAll(async () => {
  await early.server.close()
  await late.server.close()
  rmSync(folder, { recursive: true, force: true })
})

test('there is a database of every layout that can be upgraded', () => {
  const { baseline, steps } = postgresLayout
  const layouts = [baseline.version, ...steps.keys().map((step) => baseline.version + step + 1)]
  expect(fixtures.map(({ layout }) => layout)).toEqual(layouts)
})

describe.each(fixtures)('a database of layout $layout', ({ layout }) => {
  test('after the upgrade has the export of a fresh index, no contradictions, and continues', async () => {
    await withFixture(layout, async (url) => {
      await migratePostgres(url, { projections })
      await expectWhole(url)
      await indexChainWith(openPostgresWriter(url, { projections }), late)
      await expectLines(url, freshLate)
      expect(await contradictionsOf(url)).toEqual([])
    })
  })
})

nightTest(
  'a database is whole in its old layout until the upgrade commits, wherever that is killed',
  async () => {
    const { version: oldest } = postgresLayout.baseline
    const newest = newestLayout(laterPostgresLayout)
    await withFixture(oldest, async (url) => {
      const before = await readTables(url)
      let kills = 0
      for (;;) {
        const isKilled = upgradeKilledBefore(url, kills + 1)
        if ((await layoutOf(url)) === newest) break
        expect(isKilled).toBe(true)
        kills += 1
        expect(await readTables(url)).toEqual(before)
      }
      // Before each step, the begin and the end of the transaction, and the update of the layout's number.
      expect(kills).toBeGreaterThanOrEqual(laterPostgresLayout.steps.length + 3)
      await migratePostgres(url, { layout: laterPostgresLayout, projections })
      // The later layout differs from that of this version only in the table `later`.
      await runStatement(url, 'DROP TABLE later')
      await runStatement(url, `UPDATE attestry_layout SET version = ${newestLayout(postgresLayout)}`)
      await expectWhole(url)
    })
  },
)

async function serve(head: number): Promise<ServedChain> {
  const { chainId, contracts } = recorded
  return {
    chain: { chainId, contracts, head: () => head },
    server: await serveRecordedChain(recorded, head),
  }
}

async function indexAfresh(served: ServedChain, name: string): Promise<string[]> {
  const path = join(folder, name)
  await indexChain(served, path, fixtureRankThreshold)
  return exportIndex(path)
}

async function withFixture(layout: number, work: (url: string) => Promise<void>): Promise<void> {
  const { url, remove } = await createPostgresDatabase()
  try {
    await unpackPostgresFixture(layout, url)
    await work(url)
  } finally {
    await remove()
  }
}

async function expectLines(url: string, fresh: readonly string[]): Promise<void> {
  expect(await exportAndClose(openPostgresReader(url, { projections }))).toEqual(fresh)
}

async function expectWhole(url: string): Promise<void> {
  expect(await contradictionsOf(url)).toEqual([])
  // A step may ask for blocks to be read again.
  await indexChainWith(openPostgresWriter(url, { projections }), early)
  await expectLines(url, freshEarly)
}

/** Whether the process was killed before the end of the upgrade. */
function upgradeKilledBefore(url: string, statement: number): boolean {
  const program = new URL('killedPostgresMigration.ts', import.meta.url).pathname
  const { signal, status, stderr } = spawnSync(process.execPath, [program, url, String(statement)])
  if (signal === null && status !== 0) throw new Error(`the upgrade failed: ${stderr.toString()}`)
  return signal !== null
}

async function layoutOf(url: string): Promise<number> {
  return Number(await runStatement(url, 'SELECT version FROM attestry_layout'))
}

async function contradictionsOf(url: string): Promise<Difference[]> {
  const audit = openPostgresAudit(url, { ...allFields, projections })
  const found: Difference[] = []
  for await (const difference of audit.findContradictions()) found.push(difference)
  await audit.close()
  return found
}
