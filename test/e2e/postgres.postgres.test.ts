import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { migratePostgres } from '@attestry/store/postgres/migratePostgres.ts'
import { openPostgresReader } from '@attestry/store/postgres/openPostgresReader.ts'
import { openPostgresWriter } from '@attestry/store/postgres/openPostgresWriter.ts'
import { generateBlocks, steps } from '@attestry/store/testing/generatedChain.ts'
import { batchOf, identityOf } from '@attestry/store/testing/storeFactory.ts'
import fc from 'fast-check'
import { withTestConnection } from '../harness/postgresConnection.ts'
import { createPostgresDatabase, type PostgresDatabase } from '../harness/postgresDatabase.ts'
import { runHere } from '../harness/runHere.ts'
import { spawnAttestry, type SpawnedAttestry } from '../harness/spawnAttestry.ts'
import { projections } from '../harness/projections.ts'

/** Runs the program as an operator does: in processes of its own, with the index named by DATABASE_URL. */

const password = 'correct-horse-7Q'

let folder: string
let database: PostgresDatabase
const running: SpawnedAttestry[] = []

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'attestry-e2e-'))
  database = await createPostgresDatabase()
})
afterEach(async () => {
  for (const { child } of running.splice(0)) child.kill('SIGKILL')
  rmSync(folder, { recursive: true, force: true })
  await database.remove()
})

test('serves, exports and reports the status of the indexed records, and stops within two seconds', async () => {
  await fill(database.url)
  const [status, exported] = [
    await run(['status', '--json'], database.url),
    await run(['export'], database.url),
  ]
  expect(status.code).toBe(0)
  expect(JSON.parse(status.stdout)).toMatchObject([{ chainId: 5 }])
  const reader = openPostgresReader(database.url, { projections })
  const lines: string[] = []
  for await (const line of reader.exportLines({ program: '0.1.0' })) lines.push(line)
  await reader.close()
  expect(exported.stdout.trimEnd().split('\n').slice(1, -1)).toEqual(lines.slice(1, -1))

  const server = start(['serve', '--port', '0'], await readOnlyUrl())
  const served = /"url":"([^"]+)"/.exec(await server.waitForLine(/"serving"/))?.[1] ?? ''
  const answer = (await (await fetch(`${served}/scan/attestations?size=1`)).json()) as {
    readonly data: { readonly total: string | number }
  }
  expect(Number(answer.data.total)).toBeGreaterThan(0)
  const metrics = await (await fetch(`${served}/metrics`)).text()
  expect(metrics).toContain('attestry_')
  server.child.kill('SIGTERM')
  const { code, stdout, stderr } = await server.waitForExit(10_000)
  expect(code).toBe(0)
  expect(stdout + stderr).not.toContain(password)
})

test('reports each fault of a database in one sentence, without its password', async () => {
  await migratePostgres(database.url, { projections })
  const wrong: readonly (readonly [change: (url: URL) => void, sentence: RegExp])[] = [
    [
      (url) => (url.port = '1'),
      /^attestry: the database postgres:\/\/127\.0\.0\.1:1\/test_\w+ cannot be reached$/,
    ],
    [(url) => (url.hostname = 'no-such-host.invalid'), /cannot be reached$/],
    [(url) => (url.username = 'nobody'), /refuses the user or the password$/],
    [(url) => (url.pathname = '/missing'), /\/missing does not exist on that server$/],
    [(url) => (url.pathname = '/postgres'), /has no layout: start the indexer once to bring it up to date$/],
  ]
  for (const [change, sentence] of wrong) {
    const url = new URL(database.url)
    change(url)
    const { code, stdout, stderr } = await run(['status'], url.href)
    expect([code, stdout]).toEqual([1, ''])
    expect(stderr.trimEnd()).toMatch(sentence)
    expect(stderr).not.toContain(password)
  }
  const mistyped = await run(['status'], 'postgres://attestry:correct-horse-7Q@127.0.0.1/')
  expect(mistyped.code).toBe(2)
  expect(mistyped.stderr).toMatch(/names no database of the server/)
  expect(mistyped.stderr).not.toContain(password)
})

/** A role with SELECT on the tables suffices to serve. */
async function readOnlyUrl(): Promise<string> {
  const url = new URL(database.url)
  url.username = `reads_${url.pathname.slice(1)}`
  await withTestConnection(database.url, (connection) =>
    connection.exec(
      `CREATE ROLE ${url.username} LOGIN; GRANT SELECT ON ALL TABLES IN SCHEMA public TO ${url.username}`,
    ),
  )
  return url.href
}

async function fill(url: string): Promise<void> {
  await migratePostgres(url, { projections })
  const writer = openPostgresWriter(url, { projections })
  const life = fc.sample(steps(200), { numRuns: 1, seed: 4 })[0] ?? []
  await writer.openChain(identityOf(5))
  await writer.applyBlocks(5, batchOf(generateBlocks(5, [], life, 'a')))
  await writer.close()
}

function start(args: readonly string[], url: string): SpawnedAttestry {
  const program = spawnAttestry(args, { cwd: folder, environment: { DATABASE_URL: url } })
  running.push(program)
  return program
}

async function run(args: readonly string[], url: string) {
  return await runHere(args, folder, { DATABASE_URL: url })
}
