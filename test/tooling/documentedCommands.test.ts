import { serveAgents } from '@attestry/agents/serveAgents.ts'
import { serveExports } from '@attestry/archive/export/serveExports.ts'
import { serveEas } from '@attestry/subgraphs/eas/serveEas.ts'
import { serveVerax } from '@attestry/subgraphs/verax/serveVerax.ts'
import { serveErc8004 } from '@attestry/subgraphs/erc8004/serveErc8004.ts'
import { execFile } from 'node:child_process'
import { globSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import type { FastifyInstance } from 'fastify'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createServer } from '@attestry/server/testing/createServer.ts'
import { createPolicies } from '@attestry/trust/gate/gatePolicies.ts'
import { listenLocally } from '@attestry/server/pipeline/testing/sendRaw.ts'
import { createOffchainVerifier } from '@attestry/trust/commands/createOffchainVerifier.ts'
import { createProgram } from '@attestry/attestry/createProgram.ts'
import * as composition from '@attestry/attestry/wings.ts'
import { decodeAttestedPayload } from '@attestry/core/protocols/decodeAttestedPayload.ts'
import { decodeIndexedPayload } from '@attestry/core/protocols/decodeIndexedPayload.ts'
import { listFieldPaths } from '@attestry/core/protocols/listFieldPaths.ts'
import { documentedEnvelope } from '@attestry/trust/statements/testing/publishedSamples.ts'
import { openSqliteReader } from '@attestry/store/sqlite/openSqliteReader.ts'
import { fillExplorerIndex } from '../explorer/fixture/fillExplorerIndex.ts'
import { readShell } from './shellWords.ts'
import { projections } from '../harness/projections.ts'

const root = join(import.meta.dirname, '../..')
const documents = [
  ...['README.md', 'CONTRIBUTING.md', 'client/README.md', 'explorer/README.md', 'bench/figures.md'],
  ...readdirSync(join(root, 'docs'))
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name}`),
]

/** Commands that cannot run here, by how they begin, each with the reason. */
const unrun: readonly (readonly [beginning: string, reason: string])[] = [
  ['docker ', 'needs an engine of Docker'],
  ['duckdb ', 'needs DuckDB; test/duckdb reads the same file'],
  ['createdb ', 'makes a database on a server of the reader'],
  ['kubectl ', 'needs a cluster; test/deploy/helm.test.ts reads the chart'],
  ['helm ', 'needs a cluster; test/deploy/helm.test.ts reads the chart'],
  ['export ', 'sets a variable of the shell'],
  ['npm install attestry-', 'needs the package; test/packages installs it'],
  ['npx --no -- attestry', 'runs an installed package; test/packages runs it'],
  ['openssl ', 'needs OpenSSL, and writes a key'],
  ['npx --no -- anvil', 'starts a chain that does not end'],
  ['npx node attest.ts', 'needs that chain'],
  ['npm ci', 'is what CI begins with'],
  ['git clone ', 'needs the network'],
  ['cd ', 'enters the clone'],
]

/** Answers that a command is shown for, where they are errors, by a part of the command. */
const shownErrors: readonly (readonly [part: string, status: number])[] = [
  ['/scan/schemas?size=1e3', 400],
  // The proof of a record on a chain that the reader's index has.
  ['/onchain_evm_1_0x1a/proof', 404],
  // The demo fetches no content.
  ['/scan/events/content', 404],
  // Over an index with its chain in gateExamples.test.ts.
  ['/snapshot/member', 409],
]

/** Definitions for the policies that the documents name. */
const anyone = { holds: { schema: 'onchain_evm_31337_0x1', attester: 'any' } }
const documentedPolicies = { 'kyc-eu': anyone, kyc: anyone, audited: anyone, member: anyone }

interface Block {
  readonly place: string
  readonly text: string
}

const fenced = /^```sh\n([^]*?)\n```$/gm
const blocks: readonly Block[] = documents.flatMap((document) =>
  Array.from(readFileSync(join(root, document), 'utf8').matchAll(fenced), ([, text = ''], index) => ({
    place: `${document}, block ${index + 1}: ${text.split('\n')[0]}`,
    text,
  })),
)
const commands = blocks.flatMap(({ place, text }) =>
  readShell(text).map(({ words }) => ({ place, words: withoutVariables(words) })),
)

function withoutVariables(words: readonly string[]): readonly string[] {
  const first = words.findIndex((word) => !/^[A-Z_]+=/.test(word))
  return first === -1 ? words : words.slice(first)
}

const isUnrun = ({ words }: { readonly words: readonly string[] }) =>
  unrun.some(([beginning]) => `${words.join(' ')} `.startsWith(beginning))

let folder: string
let app: FastifyInstance
let port: number
let close: () => Promise<void>

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'attestry-documents-'))
  const index = join(folder, 'index.db')
  await fillExplorerIndex(index, { attestations: 300, odd: true, agents: true })
  const reader = openSqliteReader(index, { decodePayload: decodeIndexedPayload, projections })
  app = createServer({
    reader,
    journal: reader,
    decodePayload: decodeAttestedPayload,
    policies: createPolicies(documentedPolicies, true),
    listFieldPaths,
    wings: [serveAgents(), serveExports(), serveEas(), serveVerax(), serveErc8004()],
    offchain: createOffchainVerifier([], () => Promise.resolve({ kind: 'notSigned', at: [] })),
  })
  port = await listenLocally(app)
  close = async () => {
    await app.close()
    await reader.close()
  }
})
afterAll(async () => {
  await close()
  rmSync(folder, { recursive: true, force: true })
})

test('a command stands in a block of its own, without a prompt or an answer', () => {
  expect(blocks.length).toBeGreaterThan(30)
  const isCommand =
    /^(?: {4,})?(?:\$ .*|(?:curl|npm|npx|docker|attestry|createdb|duckdb) .*|[A-Z_]+=\S+ (?:npm|npx|attestry) .*)$/
  for (const document of documents) {
    const text = readFileSync(join(root, document), 'utf8').replaceAll(fenced, '')
    const inCode = text.split('\n').filter((line) => line.startsWith('    ') && isCommand.test(line))
    expect([document, inCode]).toEqual([document, []])
  }
  for (const { place, text } of blocks) {
    expect([place, text.split('\n').filter((line) => /^(?:\$ |[{<[])/.test(line))]).toEqual([place, []])
  }
})

describe('a documented request', () => {
  test.each(commands.filter(({ words }) => words[0] === 'curl'))('is answered: $place', async ({ words }) => {
    const { url, init } = readCurl(words)
    // A place that the reader fills in.
    expect(url).toMatch(/^http:\/\/127\.0\.0\.1:4000\//)
    if (url.includes('…')) return
    const response = await fetch(url.replace('127.0.0.1:4000', `127.0.0.1:${port}`), init)
    const status = shownErrors.find(([part]) => url.includes(part))?.[1] ?? 200
    expect([url, response.status]).toEqual([url, status])
    if (response.headers.get('content-type')?.startsWith('text/event-stream') === true) {
      await response.body?.cancel()
      return
    }
    const answer = (await response.json()) as { readonly errors?: unknown }
    expect([url, answer.errors]).toEqual([url, undefined])
  })
})

/** A command of curl as a request. @throws Error for an option that the documents do not use. */
function readCurl(words: readonly string[]): { readonly url: string; readonly init: RequestInit } {
  const headers: Record<string, string> = {}
  let url = ''
  let body: string | null = null
  for (let at = 1; at < words.length; at++) {
    const word = words[at] ?? ''
    if (/^-[sgiN]+$/.test(word)) continue
    if (word === '-H') {
      const [name = '', ...value] = (words[++at] ?? '').split(':')
      headers[name] = value.join(':').trim()
    } else if (word === '-d') {
      const sent = words[++at] ?? ''
      body = sent.startsWith('@') ? documentedEnvelope : sent
    } else if (word.startsWith('http')) url = word
    else throw new Error(`${word} is no option of curl that this test knows`)
  }
  return { url, init: body === null ? { headers } : { method: 'POST', headers, body } }
}

const recipes = readFileSync(join(root, 'docs/recipes.md'), 'utf8')
const scripts = Array.from(recipes.matchAll(/^```ts\n([^]*?)\n```$/gm), ([, text = '']) => text)

describe('a recipe in TypeScript', () => {
  test('stands under every question', () => {
    const [, ...questions] = recipes.split(/^## (?=\d+\. )/m)
    expect(questions).toHaveLength(13)
    expect(questions.filter((text) => !text.includes('\n```ts\n'))).toEqual([])
  })

  // A stream has no end, and this index does not change.
  test.each(scripts.filter((text) => !text.includes('attestry.changes(')))('runs: %s', async (text) => {
    const client = pathToFileURL(join(root, 'client/src/index.ts')).href
    const file = join(folder, `recipe-${scripts.indexOf(text)}.ts`)
    writeFileSync(
      file,
      `import { createClient } from '${client}'
export const lines: unknown[][] = []
const console = { log: (...line: unknown[]) => void lines.push(line) }
const attestry = createClient({ baseUrl: 'http://127.0.0.1:${port}' })
const schemaId = 'onchain_evm_31337_0x1'
${text}
`,
    )
    const { lines } = (await import(/* @vite-ignore */ pathToFileURL(file).href)) as {
      readonly lines: readonly unknown[][]
    }
    expect(lines.length).toBeGreaterThan(0)
    for (const line of lines) for (const value of line) expect(value).toBeDefined()
  })
})

test('the recipes in Python run, one after another', async ({ skip }) => {
  const blocks = Array.from(recipes.matchAll(/^```py\n([^]*?)\n```$/gm), ([, text = '']) => text)
  expect(blocks.length).toBeGreaterThan(7)
  const program = blocks.join('\nprint("---")\n').replaceAll('127.0.0.1:4000', `127.0.0.1:${port}`)
  const run = promisify(execFile)('python3', ['-c', program], { env: { ...process.env, NO_PROXY: '*' } })
  const { stdout } = await run.catch((error: Error & { readonly code?: unknown }) => {
    const isMissing = error.code === 'ENOENT' || error.message.includes("No module named 'requests'")
    if (!isMissing) throw error
    const reason = error.code === 'ENOENT' ? 'there is no python3' : 'python3 has no requests'
    process.stderr.write(`the recipes in Python are not run: ${reason}\n`)
    return skip(reason)
  })
  const [, ...printed] = stdout.split('---\n')
  expect(printed.map((text) => text.trim() !== '')).toEqual(blocks.slice(1).map(() => true))
})

test('each documented command of npm and of the program exists, with its options', async () => {
  const checked = commands.filter((command) => command.words[0] !== 'curl' && !isUnrun(command))
  expect(checked.length).toBeGreaterThan(20)
  const problems: string[] = []
  for (const { place, words } of checked) {
    const problem = await problemOf(words)
    if (problem !== null) problems.push(`${place}: ${problem}`)
  }
  expect(problems).toEqual([])
})

async function problemOf([name, verb = '', ...rest]: readonly string[]): Promise<string | null> {
  if (name === 'attestry') return 'is not there in a clone; write npm run attestry -- …'
  if (name !== 'npm') return 'is neither run nor listed as what cannot run here'
  if (verb === 'run' && rest[0] === 'attestry') return parseCommand(rest.slice(2))
  if (verb === 'start') return parseCommand(['start', ...rest.slice(1)])
  const workspace = rest.includes('-w') ? (rest[rest.indexOf('-w') + 1] ?? '') : ''
  // A workspace is built before it is packed: npm runs no scripts of its own here.
  const script = verb === 'run' ? (rest[0] ?? '') : verb === 'pack' ? 'build' : verb
  const file = readFileSync(join(root, workspace, 'package.json'), 'utf8')
  const { scripts = {} } = JSON.parse(file) as { readonly scripts?: Record<string, string> }
  return script in scripts ? null : `there is no script ${script}`
}

/** Parses a command as the program does, without running it; what is wrong with it, or null. */
async function parseCommand(words: readonly string[]): Promise<string | null> {
  const unused = () => {
    throw new Error('no command runs')
  }
  const line = {
    environment: {},
    projections: [],
    loadForIndexing: unused,
    loadForReading: unused,
    openServer: unused,
    readFiles: unused,
  }
  const program = createProgram(composition, line, '0')
  for (const command of program.commands) command.action(() => undefined)
  const parsed = program.parseAsync([...words], { from: 'user' })
  return await parsed.then(
    () => null,
    (error: Error) => error.message,
  )
}

test('npx runs only installed programs: it downloads a missing one, which anybody may have published', () => {
  const sources = globSync('{src,demo/src,client/src,explorer/src,packaging,deploy}/**/*.{ts,tsx,js,yaml}', {
    cwd: root,
  })
  const found = [...documents, 'CHANGELOG.md', ...sources]
    .filter((file) => !file.endsWith('.test.ts'))
    .flatMap((file) =>
      Array.from(readFileSync(join(root, file), 'utf8').matchAll(/\bnpx ([-@\w]\S*)/g), ([, word]) => ({
        file,
        word,
      })),
    )
  // vitest and node are dependencies of the repository.
  expect(found.filter(({ word }) => !['--no', 'vitest', 'node'].includes(word ?? ''))).toEqual([])
  expect(found.length).toBeGreaterThan(3)
})

test('every command that is not run is documented', () => {
  for (const [beginning] of unrun) {
    expect([beginning, commands.some(({ words }) => `${words.join(' ')} `.startsWith(beginning))]).toEqual([
      beginning,
      true,
    ])
  }
})
