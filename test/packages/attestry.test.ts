import { mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { sampleChainId, sampleSchema } from '../../src/api/testing/sampleRecords.ts'
import { unixMilliseconds } from '../../src/model/time.ts'
import { migrateSqlite } from '../../src/store/sqlite/migrateSqlite.ts'
import { openSqliteWriter } from '../../src/store/sqlite/openSqliteWriter.ts'
import { spawnAttestry, type SpawnedAttestry } from '../harness/spawnAttestry.ts'
import { installPacked, root, run, type PackedFolder } from './packedFolder.ts'

/** The runtime, which a machine with a recent Node.js needs for nothing. */
const runtimePackage = /^node-(linux|darwin|win)-/
const bytesMax = 150 * 2 ** 20

let installed: PackedFolder
let entry: string
const running: SpawnedAttestry[] = []

beforeAll(() => {
  run(process.execPath, ['packaging/buildPackage.ts'], root)
  installed = installPacked('./package')
  entry = join(installed.folder, 'node_modules', 'attestry', 'dist', 'cli', 'attestry.js')
}, 400_000)

afterAll(async () => {
  for (const { child } of running) child.kill()
  await Promise.all(running.map((each) => each.waitForExit()))
  installed.remove()
})

test('an installation holds JavaScript, its types and maps, and at most 150 MB beside the runtime', () => {
  const modules = join(installed.folder, 'node_modules')
  const names = readdirSync(modules).filter((name) => !name.startsWith('.') && !runtimePackage.test(name))
  const bytes = names.reduce((sum, name) => sum + bytesBelow(join(modules, name)), 0)
  expect(bytes).toBeLessThan(bytesMax)
  const files = readdirSync(join(modules, 'attestry', 'dist', 'cli'))
  expect(files).toEqual(expect.arrayContaining(['main.js', 'main.js.map', 'runService.d.ts']))
  expect(files.filter((name) => /(?<!\.d)\.ts$/.test(name))).toEqual([])
  expect(names).not.toContain('vitest')
})

test('npx attestry tells its version', () => {
  expect(run('npx', ['attestry', '--version'], installed.folder)).toMatch(/^\d+\.\d+\.\d+\n$/)
})

test('start serves an index that the repository made, with the explorer, GraphiQL and the reference', async () => {
  const folder = join(installed.folder, 'service')
  mkdirSync(folder)
  const database = join(folder, 'attestry.db')
  migrateSqlite(database)
  const writer = openSqliteWriter(database)
  const schema = sampleSchema(1)
  await writer.openChain({ chainId: sampleChainId, name: 'Sepolia', contracts: [] })
  await writer.applyBlocks(sampleChainId, {
    fromBlock: 0,
    checkpoint: { blockNumber: 2_000, timestamp: null },
    events: [{ kind: 'schemaRegistered', position: schema.position, schema }],
    recentBlocks: [],
    forgetBlocksBelow: 0,
    storedAt: unixMilliseconds(1_700_000_000_000),
  })
  await writer.close()
  // Nobody listens on the endpoint: the index is served all the same.
  writeFileSync(
    join(folder, 'attestry.yaml'),
    `database: ${database}\nserver: { port: 0 }\nchains: [{ chainId: ${sampleChainId}, rpc: ["http://127.0.0.1:9"], protocols: [sign] }]\n`,
  )
  const program = spawn(['start', '--config', 'attestry.yaml'], folder)
  const url = urlIn(await program.waitForLine(/"serving"/))
  const answer = await fetch(`${url}/scan/schemas/onchain_evm_11155111_0x1`)
  expect(await answer.json()).toMatchObject({ data: { name: 'Schema 1' } })
  for (const path of ['/', '/docs', '/docs/swagger-ui-bundle.js', '/graphql']) {
    const page = await fetch(url + path, { headers: { accept: 'text/html,*/*' } })
    expect([path, page.status]).toEqual([path, 200])
  }
  expect(await (await fetch(url)).text()).toContain('/assets/')
  program.child.kill('SIGINT')
  expect((await program.waitForExit()).code).toBe(0)
})

test('the demo runs from an installation', async () => {
  const folder = join(installed.folder, 'demo')
  mkdirSync(folder)
  const program = spawn(['demo', '--port', '0'], folder)
  // The first run compiles the contract, which takes a minute on a busy machine.
  const url = urlIn(await program.waitForLine(/http:\/\/127\.0\.0\.1:\d+/, 180_000))
  await expect
    .poll(
      async () => {
        const answer = await fetch(`${url}/scan/attestations?size=1`).catch(() => null)
        if (answer === null || !answer.ok) return 0
        const { data } = (await answer.json()) as { data: { total: number } }
        return data.total
      },
      { timeout: 100_000, interval: 250 },
    )
    .toBeGreaterThan(0)
  program.child.kill('SIGINT')
  expect((await program.waitForExit()).code).toBe(0)
}, 300_000)

function spawn(parameters: readonly string[], cwd: string): SpawnedAttestry {
  const program = spawnAttestry(parameters, { cwd, entry })
  running.push(program)
  return program
}

function urlIn(line: string): string {
  const found = /http:\/\/127\.0\.0\.1:\d+/.exec(line)
  if (found === null) throw new Error(`no address stands in ${line}`)
  return found[0]
}

function bytesBelow(path: string): number {
  const entries = readdirSync(path, { withFileTypes: true, recursive: true })
  return entries
    .filter((each) => each.isFile())
    .reduce((sum, { parentPath, name }) => sum + statSync(join(parentPath, name)).size, 0)
}
