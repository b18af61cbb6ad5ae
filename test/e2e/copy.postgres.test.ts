import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import fc from 'fast-check'
import { Client } from 'pg'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { resolveDatabase } from '@attestry/host/config/resolveDatabase.ts'
import { openDatabase } from '@attestry/host/openDatabase.ts'
import { createSqliteDatabase } from '@attestry/host/sqliteDatabase.ts'
import { migratePostgres } from '@attestry/store/postgres/migratePostgres.ts'
import { asIndexed } from '../harness/asIndexed.ts'
import { generateBlocks, steps } from '@attestry/store/testing/generatedChain.ts'
import { batchOf, identityOf } from '@attestry/store/testing/storeFactory.ts'
import { differingLines } from '../harness/differingLines.ts'
import { createPostgresDatabase, type PostgresDatabase } from '../harness/postgresDatabase.ts'
import { spawnAttestry, type SpawnedAttestry } from '../harness/spawnAttestry.ts'
import { projections } from '../harness/projections.ts'
import { firstCases } from '../harness/nightly.ts'

const waitLimitMs = 180_000

let folder: string
let postgres: PostgresDatabase
let sqlite: string
const running: SpawnedAttestry[] = []

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'attestry-copy-'))
  postgres = await createPostgresDatabase()
  sqlite = `sqlite:${join(folder, 'index.db')}`
})
afterEach(async () => {
  for (const { child } of running.splice(0)) child.kill('SIGKILL')
  rmSync(folder, { recursive: true, force: true })
  await postgres.remove()
})

test('an index that is copied to PostgreSQL and back gives the same export each time', async () => {
  await fill(400)
  const lines = await exportOf(sqlite)
  const there = await copy(sqlite, '${TARGET}', { TARGET: postgres.url })
  expect(there).toMatchObject({ code: 0, stderr: '' })
  expect(there.stdout).toMatch(/^Copied 2 chains with \d+ schemas and \d+ attestations from \S+ to postgres:/)
  expect(there.stdout).not.toContain('correct-horse')
  expect(differingLines(await exportOf(postgres.url), lines)).toEqual([])

  const back = `sqlite:${join(folder, 'back.db')}`
  expect(await copy(postgres.url, back)).toMatchObject({ code: 0, stderr: '' })
  expect(differingLines(await exportOf(back), lines)).toEqual([])

  const again = await copy(back, postgres.url)
  expect(again.code).toBe(1)
  expect(again.stderr).toMatch(/holds 2 chains already/)
  expect(differingLines(await exportOf(postgres.url), lines)).toEqual([])
})

test.each(firstCases(1, ['SIGKILL', 'SIGTERM'] as const))(
  'a copy that is ended by %s leaves an empty database, which the next one fills',
  async (signal) => {
    await fill(500)
    const lines = await exportOf(sqlite)
    const held = await holdRecords()
    const interrupted = start(['copy', '--from', sqlite, '--to', postgres.url])
    await held.untilWaiting()
    interrupted.child.kill(signal)
    await held.release()
    const { code } = await interrupted.waitForExit(waitLimitMs)
    expect(code).toBe(signal === 'SIGKILL' ? null : 1)
    expect((await exportOf(postgres.url)).filter((line) => line.startsWith('{"type":"chain"'))).toEqual([])
    expect(await copy(sqlite, postgres.url)).toMatchObject({ code: 0 })
    expect(differingLines(await exportOf(postgres.url), lines)).toEqual([])
    expect(readdirSync(folder).filter((name) => name.includes('.import'))).toEqual([])
  },
)

test('a failed copy is reported in one sentence, without a password', async () => {
  await fill(20)
  const wrong: readonly (readonly [from: string, to: string, code: number, sentence: RegExp])[] = [
    [`sqlite:${join(folder, 'none.db')}`, postgres.url, 1, /There is no database/],
    [sqlite, 'postgres://attestry:correct-horse-7Q@127.0.0.1/', 2, /--to .*names no database of the server/],
    [sqlite, '${NOT_SET}', 2, /--to names the environment variable NOT_SET, which is not set/],
    [sqlite, sqlite, 1, /holds 2 chains already/],
  ]
  for (const [from, to, code, sentence] of wrong) {
    const done = await copy(from, to)
    expect([done.code, done.stdout]).toEqual([code, ''])
    expect(done.stderr.trimEnd()).toMatch(sentence)
    expect(done.stderr).not.toContain('correct-horse')
  }
})

/** Fills the SQLite database with two chains. */
async function fill(stepCount: number): Promise<void> {
  const database = createSqliteDatabase(join(folder, 'index.db'), projections)
  await database.migrate()
  const writer = database.openWriter()
  for (const chainId of [5, 10]) {
    const life = fc.sample(steps(stepCount), { numRuns: 1, seed: chainId })[0] ?? []
    await writer.openChain(identityOf(chainId))
    await writer.applyBlocks(chainId, batchOf(asIndexed(generateBlocks(chainId, [], life, 'a'))))
  }
  await writer.close()
}

/** Blocks writers of records until the caller releases the lock. */
async function holdRecords(): Promise<{ untilWaiting(): Promise<void>; release(): Promise<void> }> {
  await migratePostgres(postgres.url, { projections })
  const [holder, watcher] = [new Client(postgres.url), new Client(postgres.url)]
  await Promise.all([holder.connect(), watcher.connect()])
  await holder.query('BEGIN; LOCK TABLE attestation IN SHARE MODE')
  return {
    untilWaiting: async () => {
      const endMs = performance.now() + waitLimitMs
      for (;;) {
        const { rows } = await watcher.query(
          "SELECT 1 FROM pg_stat_activity WHERE application_name = 'attestry import' AND wait_event_type = 'Lock' " +
            'AND datname = current_database()',
        )
        if (rows.length > 0) return
        if (performance.now() > endMs) throw new Error('nothing was copied')
        await delay(20)
      }
    },
    release: async () => {
      await holder.end()
      await watcher.end()
    },
  }
}

async function exportOf(url: string): Promise<string[]> {
  const config = resolveDatabase(url)
  if ('expected' in config) throw new Error(config.expected)
  const reader = (await openDatabase(config)).openReader()
  try {
    const lines: string[] = []
    for await (const line of reader.exportLines({ program: '0.0.0-test' })) lines.push(line)
    return lines
  } finally {
    await reader.close()
  }
}

function copy(from: string, to: string, environment: Readonly<Record<string, string>> = {}) {
  return start(['copy', '--from', from, '--to', to], environment).waitForExit(waitLimitMs)
}

function start(args: readonly string[], environment: Readonly<Record<string, string>> = {}): SpawnedAttestry {
  const program = spawnAttestry(args, { cwd: folder, environment })
  running.push(program)
  return program
}
