import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fillIndex } from '@attestry/bench/fillIndex.ts'
import { createSampleIndex, sampleChainId, type SampleBatch } from '@attestry/bench/sampleIndex.ts'
import { createServer } from '@attestry/server/testing/createServer.ts'
import { proveSampleEvent } from '@attestry/server/pipeline/testing/proveSampleEvent.ts'
import { createOffchainVerifier } from '@attestry/trust/commands/createOffchainVerifier.ts'
import { localIdOfCounter } from '@attestry/core/model/compositeId.ts'
import type { Hash } from '@attestry/core/model/hex.ts'
import { eventPosition } from '@attestry/core/model/position.ts'
import { unixMilliseconds, unixSeconds } from '@attestry/core/model/time.ts'
import type { IndexWriter } from '@attestry/core/index/indexWriter.ts'
import { migrateSqlite } from '@attestry/store/sqlite/migrateSqlite.ts'
import { openSqliteReader } from '@attestry/store/sqlite/openSqliteReader.ts'
import { openSqliteWriter } from '@attestry/store/sqlite/openSqliteWriter.ts'
import { projections } from '../harness/projections.ts'

/**
 * `npm run test:conformance`: specmatic reads the OpenAPI document of a running server, sends requests that the
 * document declares valid and invalid, and compares the answers with the document. Needs Java 17. Exits with 1 when a
 * test fails. FILTER selects tests, in the language of specmatic: FILTER="PATH='/scan/schemas'".
 */
const folder = mkdtempSync(join(tmpdir(), 'attestry-conformance-'))
try {
  process.exitCode = await run()
} finally {
  rmSync(folder, { recursive: true, force: true })
}

async function run(): Promise<number> {
  const path = join(folder, 'index.db')
  migrateSqlite(path, { projections })
  const writer = openSqliteWriter(path, { projections })
  // Enough records to include the ids of the examples in the document.
  const sample = createSampleIndex({ attestations: 400, schemas: 40, seed: 1 })
  await fillIndex(writer, sample)
  await revokeExample(writer, [...sample.batches()].at(-1))
  await writer.close()
  const reader = openSqliteReader(path, { projections })
  const offchain = createOffchainVerifier([], () => Promise.resolve({ kind: 'notSigned', at: [] }))
  const app = createServer({ reader, proveEvent: proveSampleEvent, offchain })
  await app.listen({ host: '127.0.0.1', port: 0 })
  try {
    // `address()` of a server that listens on a port is an `AddressInfo`.
    const { port } = app.server.address() as AddressInfo
    return await runSpecmatic(`http://127.0.0.1:${port}`)
  } finally {
    await app.close()
    await reader.close()
  }
}

/** The attestation of the examples has an event of each kind to prove. */
async function revokeExample(writer: IndexWriter, last: SampleBatch | undefined): Promise<void> {
  if (last === undefined) throw new Error('the sample index has no blocks')
  const blockNumber = last.toBlock + 1
  await writer.applyBlocks(sampleChainId, {
    fromBlock: blockNumber,
    checkpoint: { blockNumber, timestamp: last.timestamp },
    events: [
      {
        kind: 'attestationRevoked',
        position: eventPosition(blockNumber, 0),
        protocol: 'sign',
        localId: localIdOfCounter(0x1an),
        reason: '',
        timestamp: unixSeconds(last.timestamp),
        transactionHash: `0x${'1a'.repeat(32)}` as Hash,
      },
    ],
    recentBlocks: [],
    forgetBlocksBelow: blockNumber,
    storedAt: unixMilliseconds(1_760_000_000_000),
  })
}

async function runSpecmatic(url: string): Promise<number> {
  const document = (await (await fetch(`${url}/openapi.json`)).json()) as OpenApi
  writeFileSync(join(folder, 'openapi.json'), JSON.stringify(withinReach(withoutStreams(document))))
  const jar = join(dirname(createRequire(import.meta.url).resolve('specmatic/package.json')), 'specmatic.jar')
  const filter = process.env['FILTER'] === undefined ? [] : [`--filter=${process.env['FILTER']}`]
  const child = spawn('java', ['-jar', jar, 'test', 'openapi.json', `--testBaseURL=${url}`, ...filter], {
    cwd: folder,
    env: {
      ...process.env,
      SPECMATIC_GENERATIVE_TESTS: 'true',
      MAX_TEST_REQUEST_COMBINATIONS: '10',
      SPECMATIC_DISABLE_TELEMETRY: 'true',
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const output = await collect(child)
  const summary = /^Tests run: ([0-9]+), Successes: ([0-9]+), .*$/m.exec(output)
  if (summary === null) {
    process.stdout.write(`${output}\nspecmatic told of no tests; is Java 17 on this machine?\n`)
    return 1
  }
  const failed = summary[1] !== summary[2] || summary[1] === '0'
  const told = failed ? output.slice(Math.max(0, output.indexOf('Unsuccessful Scenarios:'))) : summary[0]
  process.stdout.write(`${told}\n`)
  return failed ? 1 : 0
}

interface OpenApi {
  /** By path, then by method. */
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
}

interface Operation {
  readonly parameters?: readonly { readonly name: string; readonly schema: unknown }[]
  readonly responses: Responses
}

type Responses = Readonly<Record<string, { readonly content?: Readonly<Record<string, unknown>> }>>

/** Specmatic parses whole answers as JSON; other tests cover streams and files. */
function withoutStreams(document: OpenApi): OpenApi {
  const paths = Object.entries(document.paths).filter(([, methods]) =>
    Object.values(methods).every(
      ({ responses }) => responses['200']?.content?.['application/json'] !== undefined,
    ),
  )
  return { ...document, paths: Object.fromEntries(paths) }
}

/**
 * The document without the parts that specmatic cannot handle. It computes every combination of parameter values and
 * sends some:
 * 1. Listings refuse `cursor` beside `page`, and `keyword` beside filters, which OpenAPI cannot express: both are
 * removed there.
 * 2. With a dozen parameters specmatic does not finish: of parameters with the same values, the listings keep one.
 */
function withinReach(document: OpenApi): OpenApi {
  const met = new Set<string>()
  const paths = Object.entries(document.paths).map(([path, methods]) => {
    const { get } = methods
    if (get?.parameters?.some(({ name }) => name === 'cursor') !== true) return [path, methods] as const
    const parameters = get.parameters.filter(({ name, schema }) => {
      const values = JSON.stringify(schema)
      if (name === 'cursor' || name === 'keyword' || met.has(values)) return false
      met.add(values)
      return true
    })
    return [path, { ...methods, get: { ...get, parameters } }] as const
  })
  return { ...document, paths: Object.fromEntries(paths) }
}

async function collect(child: ChildProcess): Promise<string> {
  let output = ''
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    output += text
  })
  await once(child, 'close')
  return output
}
