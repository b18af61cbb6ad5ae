import { spawnSync } from 'node:child_process'
import { createServer } from 'node:http'
import {
  closeSync,
  copyFileSync,
  existsSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { runHere } from '@attestry/test/harness/runHere.ts'
import { spawnAttestry, type SpawnedAttestry } from '@attestry/test/harness/spawnAttestry.ts'
import { createSimulatedChain, type SimulatedChain } from '@attestry/test/simulator/simulatedChain.ts'
import { startSimulatorServer, type SimulatorServer } from '@attestry/test/simulator/simulatorServer.ts'
import { nightTest } from '@attestry/test/harness/nightly.ts'

/** The promise is two seconds; a busy machine gets more. */
const stopLimitMs = 20_000
const secret = 's3cr3ts3cr3t'

let folder: string
/** A chain, and the folder of an index of it that no process has open. */
let indexed: ServedChain & { readonly folder: string }
const running: SpawnedAttestry[] = []
const servers: { close(): unknown }[] = []

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'attestry-cli-'))
  indexed = { ...(await startChain({ blocks: 300 })), folder }
  servers.pop()
  writeConfig([indexed.server.url])
  const indexer = start(['index'])
  await indexer.waitForLine(/reached the head/)
  indexer.child.kill('SIGINT')
  await indexer.waitForExit(stopLimitMs)
})
afterAll(async () => {
  await indexed.server.close()
  rmSync(indexed.folder, { recursive: true, force: true })
})
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'attestry-cli-'))
})
afterEach(async () => {
  for (const { child } of running.splice(0)) child.kill('SIGKILL')
  for (const server of servers.splice(0)) await server.close()
  rmSync(folder, { recursive: true, force: true })
})

describe('a mistake', () => {
  test.each([
    [['strat'], {}, '"strat" is not a command; did you mean start?'],
    [['index', 'now'], {}, 'attestry index takes no argument "now"; see attestry index --help'],
    [['start', '--confg', 'x'], {}, "unknown option '--confg' (Did you mean --config?)"],
    [
      ['--config', 'absent.yaml'],
      {},
      'The configuration file absent.yaml does not exist; give the path of one with --config',
    ],
    [['--config', '.'], {}, 'The configuration file . is a folder; give the path of a file with --config'],
    [['-c', 'bad.yaml'], {}, 'bad.yaml line 1: chians is not a known key; did you mean chains?'],
    [
      ['-c', 'key.yaml'],
      {},
      'key.yaml line 3: chains[0].rpc[0] names the environment variable SEPOLIA_RPC, which is not set; set it or write the value into the file',
    ],
    [
      ['-c', 'key.yaml'],
      { SEPOLIA_RPC: `ftp://${secret}` },
      'key.yaml line 3: chains[0].rpc[0] must be a URL that starts with http://, https://, ws:// or wss://, but is "${SEPOLIA_RPC}" (an environment variable, whose value is not shown)',
    ],
    [
      ['serve'],
      { DATABASE_URL: `mysql://${secret}@db.example/x` },
      'The environment variable DATABASE_URL must be the path of a SQLite file, such as sqlite:./data/attestry.db, or the URL of a PostgreSQL database, but is a value that is not shown',
    ],
    [
      ['serve', '--port', '70000'],
      {},
      'The option --port must be a whole number from 0 to 65535, such as 4000, but is "70000"',
    ],
  ])('in %j is one sentence and exit code 2', async (args, environment, sentence) => {
    writeFileSync(join(folder, 'bad.yaml'), 'chians: []\n')
    writeFileSync(
      join(folder, 'key.yaml'),
      'chains:\n  - chainId: 11155111\n    rpc: ["${SEPOLIA_RPC}"]\n    protocols: [sign]\n',
    )
    expect(await run(args, environment)).toEqual({ code: 2, stdout: '', stderr: `attestry: ${sentence}\n` })
  })
})

describe('what keeps it from starting', () => {
  test('is one sentence and exit code 1 when the port is in use', async () => {
    const port = await takePort()
    const exited = await start(['serve', '--port', String(port)]).waitForExit()
    expect(exited.code).toBe(1)
    expect(exited.stderr).toBe(
      `attestry: Port ${port} on 127.0.0.1 is in use; choose another with --port or the environment variable PORT\n`,
    )
  })

  test.each(['index', 'serve', 'start'])(
    'is one sentence when %s cannot write its database',
    async (command) => {
      writeConfig([`http://127.0.0.1:1/${secret}`], 'database: sqlite:/dev/null/attestry.db')
      const exited = await start([command, ...(command === 'index' ? [] : ['--port', '0'])]).waitForExit()
      expect(exited).toEqual({
        code: 1,
        stdout: '',
        stderr: expect.stringMatching(
          /^attestry: [^\n]*database \/dev\/null\/attestry\.db cannot be (?:made|opened|written)[^\n]*\n$/,
        ),
      })
    },
  )

  test.each(['status', 'export'])('is one sentence when %s finds no database', async (command) => {
    const exited = await start([command]).waitForExit()
    const path = join(folder, 'data/attestry.db')
    expect(exited).toEqual({
      code: 1,
      stdout: '',
      stderr: `attestry: There is no database ${path} yet; attestry start or attestry index makes it\n`,
    })
    expect(readdirSync(folder)).toEqual([])
  })

  test('is one sentence when the file is not a database', async () => {
    writeFileSync(
      join(folder, 'notes.db'),
      'this is not a database, though it is long enough to be one\n'.repeat(100),
    )
    const exited = await run(['status'], { DATABASE_URL: 'sqlite:notes.db' })
    expect(exited.code).toBe(1)
    expect(exited.stderr).toMatch(/^attestry: [^\n]*notes\.db[^\n]*\n$/)
  })

  test('is one sentence when another process indexes into the database', async () => {
    const { server } = await startChain()
    writeConfig([server.url])
    const first = start(['index'])
    await first.waitForLine(/reached the head/)
    const second = await start(['start', '--port', '0']).waitForExit()
    expect(second.code).toBe(1)
    expect(second.stderr).toMatch(/^attestry: Another process is indexing into [^\n]*\n$/)
    // The first one goes on, and leaves the database free, even when it is killed.
    first.child.kill('SIGKILL')
    await first.waitForExit()
    const third = start(['index'])
    await third.waitForLine(/reached the head/)
  })
})

describe('start', () => {
  test('indexes and serves, logs JSON lines without secrets, and stops on request', async () => {
    const { server, chain } = await startChain()
    writeConfig([`${server.url}/v2/${secret}`, `http://127.0.0.1:1/v2/${secret}`])
    const compiled = join(folder, 'compiled')
    const attestry = start(['--port', '0'], { NODE_COMPILE_CACHE: compiled })
    const url = servingUrl(await attestry.waitForLine(/"serving"/))
    await attestry.waitForLine(/reached the head/)
    const { data } = await fetchEnvelope(`${url}/scan/attestations`)
    expect(data.total).toBe(chain.count('signAttestation'))
    // A stop that has yet to write the compiled modules is slow.
    await expect.poll(() => readdirSync(compiled, { recursive: true }).length).toBeGreaterThan(100)
    attestry.child.kill('SIGTERM')
    const exited = await attestry.waitForExit(stopLimitMs)
    expect(exited.code).toBe(0)
    expect(exited.stderr).toBe('')
    for (const line of exited.stdout.trimEnd().split('\n')) expect(JSON.parse(line)).toHaveProperty('msg')
    expect(exited.stdout).not.toContain(secret)
  })

  test('serves what is indexed while no endpoint answers, without calling it fresh', async () => {
    const { chain } = indexed
    copyIndex()
    writeConfig([`http://127.0.0.1:1/${secret}`])
    const attestry = start(['--port', '0'])
    const url = servingUrl(await attestry.waitForLine(/"serving"/))
    await attestry.waitForLine(/127\.0\.0\.1:1/)
    const { data } = await fetchEnvelope(`${url}/scan/attestations`)
    expect(data.total).toBe(chain.count('signAttestation'))
    expect((await fetch(`${url}/readyz`)).status).toBe(503)
    const [status] = JSON.parse((await run(['status', '--json'])).stdout) as unknown[]
    // A chain whose head was never read starts, and is retrying once its endpoint has failed for long.
    const phase: unknown = expect.stringMatching(/^(?:starting|retrying)$/)
    expect(status).toMatchObject({ phase, indexedBlock: chain.head(), headBlock: null })
    attestry.child.kill('SIGINT')
    const exited = await attestry.waitForExit(stopLimitMs)
    expect(exited.code).toBe(0)
    expect(exited.stdout).not.toContain(secret)
  })

  test('stops in the middle of a backfill, and continues there at the next start', async () => {
    const { server, chain } = await startChain({ blocks: 500, latencyMs: 20, logRangeMax: 10 })
    writeConfig([server.url])
    const first = start(['index'])
    await expect.poll(() => server.requests.get('eth_getLogs') ?? 0).toBeGreaterThan(20)
    first.child.kill('SIGINT')
    expect((await first.waitForExit(stopLimitMs)).code).toBe(0)
    const second = start(['--port', '0'])
    const url = servingUrl(await second.waitForLine(/"serving"/))
    await second.waitForLine(/reached the head/)
    await expect.poll(async () => (await fetch(`${url}/readyz`)).status).toBe(200)
    expect((await fetchEnvelope(`${url}/scan/attestations`)).data.total).toBe(chain.count('signAttestation'))
  })
})

describe('the commands that read', () => {
  test('show and export what another process has indexed', async () => {
    const { server, chain } = indexed
    copyIndex()
    writeConfig([server.url])
    const indexer = start(['index'])
    await indexer.waitForLine(/reached the head/)

    const table = await run(['status'])
    expect(table).toMatchObject({ code: 0, stderr: '' })
    expect(table.stdout).toMatch(
      /^CHAIN .*\nSimulated .*31337 {2}Sign Protocol {2}following .* 0 blocks, 0 s .*\n\n *ID .*PROVES.*\n31337 .*\n$/,
    )
    const json: unknown = JSON.parse((await run(['status', '--json'])).stdout)
    expect(json).toEqual([
      expect.objectContaining({
        chainId: 31_337,
        deployments: [{ protocol: 'sign', name: 'Sign Protocol' }],
        headBlock: chain.head(),
        indexedBlock: chain.head(),
        attestations: chain.count('signAttestation'),
        secondsLeft: 0,
        lastError: null,
      }),
    ])

    const piped = await run(['export'])
    expect(piped).toMatchObject({ code: 0, stderr: '' })
    expect(piped.stdout.trimEnd().split('\n').length).toBeGreaterThan(chain.count('signAttestation'))
    const filed = await run(['export', '--output', 'index.ndjson'])
    expect(filed).toEqual({ code: 0, stdout: '', stderr: '' })
    expect(readFileSync(join(folder, 'index.ndjson'), 'utf8')).toBe(piped.stdout)
    expect(readdirSync(folder).filter((name) => name.includes('.part'))).toEqual([])

    const served = start(['serve', '--port', '0'])
    const url = servingUrl(await served.waitForLine(/"serving"/))
    expect((await fetchEnvelope(`${url}/scan/schemas`)).data.total).toBe(chain.count('signSchema'))
    served.child.kill('SIGTERM')
    expect((await served.waitForExit(stopLimitMs)).code).toBe(0)
  })

  test('show what changes until asked to stop, and end with the reader of their pipe', async () => {
    const { server, chain } = await startChain()
    writeConfig([server.url])
    const indexer = start(['index'])
    await indexer.waitForLine(/reached the head/)
    const lines = start(['status', '--watch'])
    const objects = start(['status', '--watch', '--json'])
    const unread = start(['status', '--watch'])
    await unread.waitForLine(/Simulated/)
    unread.child.stdout.destroy()
    await lines.waitForLine(/Simulated following: block /)
    chain.mine(1)
    const head = chain.head()
    await lines.waitForLine(
      new RegExp(`^\\S+Z Simulated following: block ${head} of ${head}, \\d+ attestations$`),
    )
    expect(JSON.parse(await objects.waitForLine(new RegExp(`"indexedBlock":${head},`)))).toMatchObject({
      chainId: 31_337,
      headBlock: head,
    })
    for (const { child } of [lines, objects]) child.kill('SIGINT')
    for (const watch of [lines, objects, unread]) {
      expect(await watch.waitForExit(stopLimitMs)).toMatchObject({ code: 0, stderr: '' })
    }
  })

  nightTest(
    'export two indexes of one chain as the same bytes where asked for the comparable form',
    async () => {
      copyIndex('one.db')
      writeConfig([indexed.server.url], 'database: two.db')
      const indexer = start(['index'])
      await indexer.waitForLine(/reached the head/)
      indexer.child.kill('SIGTERM')
      await indexer.waitForExit(stopLimitMs)
      const read = async (name: string, args: readonly string[]) =>
        (await run(['export', ...args], { DATABASE_URL: name })).stdout
      expect(await read('one.db', [])).not.toBe(await read('two.db', []))
      const comparable = await read('one.db', ['--comparable'])
      expect(comparable).toMatch(/^\{"format"[^]*"type":"attestation"[^]*\n\{"type":"end".*\}\n$/)
      expect(await read('two.db', ['--comparable'])).toBe(comparable)

      writeFileSync(join(folder, 'comparable.ndjson'), comparable)
      const imported = await run(['import', '-i', 'comparable.ndjson'], {
        DATABASE_URL: 'new.db',
      })
      expect(imported).toEqual({
        code: 1,
        stdout: '',
        stderr: expect.stringMatching(/ made with --comparable, .*; export again without it\n$/),
      })
    },
  )

  test('say of an imported index that no indexer has run', async () => {
    copyIndex()
    writeConfig([indexed.server.url])
    await run(['export', '-o', 'index.ndjson'])
    const environment = { DATABASE_URL: './imported.db' }
    expect(await run(['import', '-i', 'index.ndjson'], environment)).toMatchObject({
      code: 0,
    })

    const table = await run(['status'], environment)
    expect(table.stdout).toMatch(/ UPDATED {2,}LAST ERROR\n.* {2}no indexer yet {2}–\n\n *ID /)
    const [status] = JSON.parse((await run(['status', '--json'], environment)).stdout) as unknown[]
    expect(status).toMatchObject({ updatedAt: null })

    const served = start(['serve', '--port', '0'], environment)
    const url = servingUrl(await served.waitForLine(/"serving"/))
    const ready: unknown = await (await fetch(`${url}/readyz`)).json()
    expect(ready).toMatchObject({ data: { chains: [{ phase: 'paused', updatedAt: null }] } })
    const answer = await fetch(`${url}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ query: '{ chains { phase updatedAt } }' }),
    })
    expect(await answer.json()).toEqual({ data: { chains: [{ phase: 'paused', updatedAt: null }] } })
  })

  test('need neither the endpoints nor their keys', async () => {
    writeConfig(['${ABSENT_KEY}'])
    const served = start(['serve', '--port', '0'])
    const url = servingUrl(await served.waitForLine(/"serving"/))
    expect((await fetchEnvelope(`${url}/scan/schemas`)).data.rows).toEqual([])
    expect(existsSync(join(folder, 'index.db'))).toBe(true)
    const status = await run(['status'])
    expect(status).toMatchObject({ code: 0, stdout: expect.stringMatching(/has no chain yet\n$/) })
  })

  test('end without an error if the reader of the export has gone', async () => {
    copyIndex()
    writeConfig([indexed.server.url])
    const exporting = start(['export'])
    exporting.child.stdout.once('data', () => exporting.child.stdout.destroy())
    expect(await exporting.waitForExit()).toMatchObject({ code: 0, stderr: '' })
  })

  test('say in one sentence why a file cannot be written', async () => {
    copyIndex()
    writeConfig([indexed.server.url])
    const exited = await run(['export', '--output', 'absent/index.ndjson'])
    expect(exited).toEqual({
      code: 1,
      stdout: '',
      stderr: 'attestry: The file absent/index.ndjson cannot be written: its folder does not exist\n',
    })
  })

  test.runIf(existsSync('/dev/full'))('say in one sentence why standard output cannot be written', () => {
    const full = openSync('/dev/full', 'w')
    const { status, stderr } = spawnSync(
      process.execPath,
      [join(import.meta.dirname, 'attestry.js'), '--help'],
      { stdio: ['ignore', full, 'pipe'], encoding: 'utf8' },
    )
    closeSync(full)
    expect([status, stderr]).toEqual([1, 'attestry: Standard output cannot be written: the disk is full\n'])
  })
})

test.each([[[]], [['start']], [['index']]])(
  '%j without a configuration says in three lines how to get one and how to see the demo',
  async (args) => {
    expect(await run(args)).toEqual({
      code: 2,
      stdout: '',
      stderr:
        'attestry: There is no attestry.yaml here, and no --config names a configuration file\n' +
        'attestry: attestry init writes one\n' +
        'attestry: npm start in a clone of Attestry shows it over local chains, without a configuration\n',
    })
  },
)

describe('--help', () => {
  test.each(['start', 'index', 'serve', 'status', 'export'])('of %s shows an example', async (command) => {
    const exited = await run([command, '--help'])
    expect(exited.code).toBe(0)
    expect(exited.stdout).toContain(`Example:\n  attestry ${command}`)
  })
})

const run = (args: readonly string[], environment: Readonly<Record<string, string>> = {}) =>
  runHere(args, folder, environment)

function start(args: readonly string[], environment: Readonly<Record<string, string>> = {}): SpawnedAttestry {
  const attestry = spawnAttestry(args, { cwd: folder, environment })
  running.push(attestry)
  return attestry
}

/** Copies the index of `indexed` into the folder of this test. */
function copyIndex(name = 'index.db'): void {
  copyFileSync(join(indexed.folder, 'index.db'), join(folder, name))
}

interface ServedChain {
  readonly server: SimulatorServer
  readonly chain: SimulatedChain
}

async function startChain(
  options: { blocks?: number; latencyMs?: number; logRangeMax?: number } = {},
): Promise<ServedChain> {
  const { blocks = 120, ...serverOptions } = options
  const chain = createSimulatedChain({ seed: 7 })
  chain.mine(blocks)
  const server = await startSimulatorServer(chain, serverOptions)
  servers.push(server)
  return { server, chain }
}

/** Writes a configuration for the simulated chain, whose contracts depend only on its seed. */
function writeConfig(urls: readonly string[], database = 'database: sqlite:index.db'): void {
  const { contracts } = createSimulatedChain({ seed: 7 })
  writeFileSync(
    join(folder, 'attestry.yaml'),
    `${database}
server: { workers: 1, explorer: false }
chains:
  - chainId: 31337
    name: Simulated
    rpc: ${JSON.stringify(urls)}
    contracts: [{ protocol: sign, address: "${contracts.sign}", startBlock: 0 }]
    finality: 12
    pollIntervalMs: 50
`,
  )
}

async function takePort(): Promise<number> {
  const server = createServer()
  servers.push(server)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return (server.address() as AddressInfo).port
}

function servingUrl(line: string): string {
  const record: unknown = JSON.parse(line)
  if (typeof record === 'object' && record !== null && 'url' in record) return String(record.url)
  throw new Error(`no URL in ${line}`)
}

interface Envelope {
  readonly data: { readonly total: number; readonly rows: readonly unknown[] }
}

async function fetchEnvelope(url: string): Promise<Envelope> {
  const response = await fetch(url)
  expect(response.status).toBe(200)
  return (await response.json()) as Envelope
}
