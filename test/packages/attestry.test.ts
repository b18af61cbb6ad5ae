import { execFileSync } from 'node:child_process'
import { chmodSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { nightTest } from '../harness/nightly.ts'
import { spawnAttestry, type SpawnedAttestry } from '../harness/spawnAttestry.ts'
import { fixtures, unpackFixture } from '../upgrade/fixtures.ts'
import { loadRecordedChain, serveRecordedChain } from '../upgrade/recordedChain.ts'
import { findFormProblems, installPacked, root, run, type PackedFolder } from './packedFolder.ts'

const bytesMax = 90 * 1_000_000
const imageUser = 10_001

let installed: PackedFolder
let entry: string
const running: SpawnedAttestry[] = []

beforeAll(() => {
  run(process.execPath, ['packaging/buildPackage.ts'], root)
  installed = installPacked('./package')
  const modules = join(installed.folder, 'node_modules')
  entry = join(modules, 'attestry', 'dist', 'attestry', 'src', 'attestry.js')
}, 400_000)

afterAll(async () => {
  for (const { child } of running) child.kill()
  await Promise.all(running.map((each) => each.waitForExit()))
  execFileSync('chmod', ['-R', 'u+w', installed.folder])
  installed.remove()
})

test('an installation holds JavaScript and its maps, and at most 90 MB', () => {
  const modules = join(installed.folder, 'node_modules')
  expect(bytesBelow(modules)).toBeLessThan(bytesMax)
  const files = readdirSync(join(modules, 'attestry', 'dist', 'attestry', 'src'))
  expect(files).toEqual(expect.arrayContaining(['main.js', 'main.js.map']))
  expect(files.filter((name) => name.endsWith('.ts'))).toEqual([])
  expect(readdirSync(modules)).not.toContain('vitest')
})

nightTest('nothing is wrong with the form of the package', async () => {
  const pkgDir = join(installed.folder, 'node_modules', 'attestry')
  expect(await findFormProblems(pkgDir)).toEqual([])
})

test('the package names the version of all that it depends on, and nothing else', () => {
  // This command fails if a dependency is missing, superfluous or of another version.
  const pkgDir = join(installed.folder, 'node_modules', 'attestry')
  const listed = run('npm', ['ls', '--all', '--json', '--package-lock-only'], pkgDir)
  const { dependencies } = JSON.parse(listed) as { readonly dependencies: Readonly<Record<string, object>> }
  expect(Object.keys(dependencies)).toContain('fastify')
})

test('no package of an installation runs a script or is made for one platform', () => {
  const lock = readFileSync(join(installed.folder, 'node_modules', '.package-lock.json'), 'utf8')
  const { packages } = JSON.parse(lock) as { readonly packages: Readonly<Record<string, object>> }
  const odd = Object.entries(packages).filter(([, each]) =>
    ['hasInstallScript', 'os', 'cpu'].some((member) => member in each),
  )
  expect(Object.keys(packages)).toContain('node_modules/fastify')
  expect(odd.map(([path]) => path)).toEqual([])
})

test('npx --no -- attestry prints its version', () => {
  expect(run('npx', ['--no', '--', 'attestry', '--version'], installed.folder)).toMatch(/^\d+\.\d+\.\d+\n$/)
})

test('start upgrades and continues a database of the repository, as a user who may write only to its data', async () => {
  const recorded = loadRecordedChain()
  const endpoint = await serveRecordedChain(recorded, recorded.blocks.length - 1)
  const folder = join(installed.folder, 'service')
  mkdirSync(folder)
  // The database of the oldest layout that can be upgraded.
  unpackFixture(Math.min(...fixtures.map(({ layout }) => layout)), join(folder, 'attestry.db'))
  const { chainId, contracts } = recorded
  writeFileSync(
    join(folder, 'attestry.yaml'),
    JSON.stringify({
      database: 'sqlite:attestry.db',
      server: { port: 0, workers: 1 },
      chains: [
        {
          chainId,
          rpc: [endpoint.url],
          contracts: [
            { protocol: 'sign', address: contracts.sign, startBlock: 0 },
            {
              protocol: 'eas',
              address: contracts.eas,
              schemaRegistry: contracts.schemaRegistry,
              startBlock: 0,
            },
          ],
        },
      ],
    }),
  )
  const program = spawn(['start', '--config', 'attestry.yaml'], folder, asPlainUser(folder))
  const url = urlIn(await program.waitForLine(/"serving"/))
  await expect
    .poll(async () => (await fetch(`${url}/scan/chains`)).json())
    .toMatchObject({
      data: { rows: [{ indexedBlock: recorded.blocks.length - 1, lastError: null }] },
    })
  for (const path of [
    '/',
    '/docs',
    '/docs/swagger-ui-bundle.js',
    '/guide/gate',
    '/verified.js',
    '/graphql',
    '/healthz',
  ]) {
    const statusOf = async () => (await fetch(url + path, { headers: { accept: 'text/html,*/*' } })).status
    // The first answers may come before the explorer is loaded.
    await expect.poll(async () => [path, await statusOf()]).toEqual([path, 200])
  }
  expect(await (await fetch(url)).text()).toContain('/assets/')
  program.child.kill('SIGTERM')
  expect(await program.waitForExit()).toMatchObject({ code: 0, stderr: '' })
  await endpoint.close()
})

function spawn(parameters: readonly string[], cwd: string, user?: number): SpawnedAttestry {
  const program = spawnAttestry(parameters, { cwd, entry, user })
  running.push(program)
  return program
}

/**
 * Makes the installation read-only. If the tests run as root, whom no file mode stops, gives `folder` to the user of
 * the image and returns that user.
 */
function asPlainUser(folder: string): number | undefined {
  execFileSync('chmod', ['-R', 'a-w', join(installed.folder, 'node_modules')])
  if (process.getuid?.() !== 0) return undefined
  chmodSync(installed.folder, 0o755)
  execFileSync('chown', ['-R', String(imageUser), folder])
  return imageUser
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
