import { execFileSync } from 'node:child_process'
import { afterAll, expect, test } from 'vitest'
import { createServer } from '@attestry/server/testing/createServer.ts'
import { createSampleIndex } from '@attestry/server/pipeline/testing/sampleIndex.ts'
import { openTestIndex } from '@attestry/server/pipeline/testing/testIndex.ts'
import { codeExamples, type CodeQuestion } from './codeExamples.ts'

const app = createServer({ reader: openTestIndex(createSampleIndex()) })
afterAll(() => app.close())

const base = 'http://127.0.0.1:4000'
const schemaId = 'onchain_evm_11155111_0x1'

const questions: readonly CodeQuestion[] = [
  { kind: 'attestations', filter: {} },
  {
    kind: 'attestations',
    filter: { schemaId, revoked: false, attestedFrom: 1_700_000_000, dataLocation: 'IPFS' },
  },
  { kind: 'attestations', filter: { keyword: 'a b', schemaId } },
  { kind: 'schemas', filter: { chainId: '11155111', revocable: true } },
  { kind: 'schemas', filter: { keyword: 'schema' } },
  { kind: 'attestation', id: 'onchain_evm_11155111_0x5', protocol: undefined },
  { kind: 'schema', id: schemaId, protocol: 'sign' },
  { kind: 'search', keyword: 'schema' },
  { kind: 'agents', filter: { keyword: 'ada', active: true } },
]

/** The words of the command after `curl`, as a shell reads them. */
function wordsOf(command: string): readonly string[] {
  const script = `curl() { for word; do printf '%s\\0' "$word"; done; }\n${command}`
  return execFileSync('sh', ['-c', script], { encoding: 'utf8' }).split('\0').slice(0, -1)
}

/** The calls that the code makes to the client. */
async function callsOf(code: string): Promise<readonly unknown[]> {
  const calls: unknown[] = []
  const record = (path: string, parameters: object) => calls.push([path, parameters])
  const client = {
    get: async (path: string, parameters: object) => record(path, parameters),
    list: async function* (path: string, parameters: object) {
      yield record(path, parameters)
    },
  }
  const AsyncFunction = (async () => undefined).constructor as FunctionConstructor
  const run = AsyncFunction('createClient', 'console', code.replaceAll(/^import .*$/gm, '')) as (
    createClient: (options: object) => object,
    console: object,
  ) => Promise<void>
  await run((options) => (calls.push(options), client), { log: () => undefined })
  return calls
}

test.each(questions)('the requests of %j are answered', async (question) => {
  const { curl = '', GraphQL: graphql } = codeExamples(question, base)
  const [url = ''] = wordsOf(curl)
  expect(url.startsWith(`${base}/scan/`)).toBe(true)
  const answer = await app.inject(url.slice(base.length))
  expect([answer.statusCode, answer.headers['x-attestry-ignored']]).toEqual([200, undefined])
  const isSearch = question.kind !== 'agents' && 'filter' in question && 'keyword' in question.filter
  const hasDocument = question.kind !== 'search' && !isSearch
  expect(graphql !== undefined).toBe(hasDocument)
  if (graphql === undefined) return
  const [address, , , , payload = ''] = wordsOf(graphql)
  expect(address).toBe(`${base}/graphql`)
  const headers = { 'content-type': 'application/json' }
  const found = await app.inject({ method: 'POST', url: '/graphql', headers, payload })
  expect(found.json()).not.toHaveProperty('errors')
  expect(found.json()).toHaveProperty('data')
})

const attester = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8'
const subject = '0xd5DCA145674E537Dc050234a3B9b40763Ea2F483'
test.each<[string, CodeQuestion]>([
  ['a listing', { kind: 'attestations', filter: { schemaId, attester, recipient: subject } }],
  [
    'a record',
    {
      kind: 'attestation',
      id: 'onchain_evm_11155111_0x5',
      protocol: undefined,
      held: { schema: schemaId, attester, subject },
    },
  ],
])('the gate is asked first about %s of a schema', async (_, question) => {
  const [first, command = ''] = Object.entries(codeExamples(question, base))[0] ?? []
  expect(first).toBe('Gate')
  const [url, , , , payload = ''] = wordsOf(command)
  expect(url).toBe(`${base}/scan/gate`)
  expect(JSON.parse(payload)).toEqual({
    policy: { holds: { schema: schemaId, attester: [attester] } },
    subjects: [subject],
  })
})

test('the gate has no attester by default, and is not shown where no schema decides', async () => {
  const code = codeExamples({ kind: 'attestations', filter: { schemaId } }, base)
  expect(code.Gate).toContain('<address of an attester whom you trust>')
  expect(code.Gate).not.toContain('any')
  for (const filter of [{}, { chainId: '1' }, { recipient: subject }])
    expect(codeExamples({ kind: 'attestations', filter }, base)).not.toHaveProperty('Gate')
})

test('DuckDB reads the file of the same attestations', async () => {
  const code = codeExamples({ kind: 'attestations', filter: { schemaId, revoked: false } }, base)
  const [url = '', option, file = ''] = wordsOf(code.DuckDB?.split('\n')[0] ?? '')
  expect(option).toBe('-o')
  const answer = await app.inject(url.slice(base.length))
  expect([answer.statusCode, answer.rawPayload.subarray(0, 4).toString()]).toEqual([200, 'PAR1'])
  expect(code.DuckDB).toContain(`from '${file}'`)
  expect(codeExamples({ kind: 'schemas', filter: {} }, base)).not.toHaveProperty('DuckDB')
})

test('agents are walked as a whole, and one is asked for by its id', async () => {
  const list = codeExamples({ kind: 'agents', filter: { keyword: 'a', chainId: '1' } }, base)
  expect(list.TypeScript).toContain('for await')
  expect(await callsOf(list.TypeScript ?? '')).toEqual([
    { baseUrl: base },
    ['/scan/agents', { keyword: 'a', chainId: '1' }],
  ])
  const one = codeExamples({ kind: 'agent', id: '8453:22' }, base)
  expect(wordsOf(one.curl ?? '')).toEqual([`${base}/scan/agents/8453%3A22`])
  const url = `${base}/mcp`
  expect(one['Claude Code']).toBe(`claude mcp add --transport http attestry '${url}'`)
  expect(JSON.parse(one.MCP ?? '')).toEqual({ mcpServers: { attestry: { type: 'http', url } } })
  const [, , , , payload = ''] = wordsOf(one.GraphQL ?? '')
  const headers = { 'content-type': 'application/json' }
  const found = await app.inject({ method: 'POST', url: '/graphql', headers, payload })
  // The chain is not indexed here, which the answer says.
  const extensions = { attestry: { behind: ['8453:none:none'] } }
  expect(found.json()).toEqual({ data: { agent: null }, extensions })
  expect(await callsOf(one.TypeScript ?? '')).toEqual([
    { baseUrl: base },
    ['/scan/agents/{id}', { id: '8453:22' }],
  ])
})

test('an off-chain attestation is verified by the interface and by the client', () => {
  const { curl = '', TypeScript: typescript, ...others } = codeExamples({ kind: 'verify' }, base)
  expect(wordsOf(curl)).toEqual([
    `${base}/scan/offchain/verify`,
    '-H',
    'content-type: application/json',
    '-d',
    '@attestation.json',
  ])
  expect(typescript).toContain('attestry.verifyOffchain(attestation)')
  expect(others).toEqual({})
})

test('filters by fields stand in every language', async () => {
  const fields = [
    { parameter: 'field[level][gte]', path: 'level', operator: 'gte', value: '2' },
    { parameter: 'field[country]', path: 'country', operator: 'equals', value: 'FR' },
  ] as const
  const code = codeExamples({ kind: 'attestations', filter: { schemaId }, fields }, base)
  expect(new URL(wordsOf(code.curl ?? '')[0] ?? '').searchParams.get('field[level][gte]')).toBe('2')
  expect(await callsOf(code.TypeScript ?? '')).toEqual([
    { baseUrl: base },
    [
      '/scan/attestations',
      { schemaId, field: { level: { gte: '2' }, country: { in: ['FR'] } }, include: 'decoded' },
    ],
  ])
  expect(JSON.parse(wordsOf(code.GraphQL ?? '')[4] ?? '')).toMatchObject({
    variables: {
      filter: {
        schemaId,
        fields: [
          { name: 'level', gte: '2' },
          { name: 'country', in: ['FR'] },
        ],
      },
    },
  })
  expect(code.React).toContain('field: { level: { gte: "2" }, country: { in: ["FR"] } }')
})

test('no value of a filter ends its text, in a shell or in TypeScript, or hides', async () => {
  const indexingValue = `'; $(touch x) \`y\` "\\ \u202E\u2028${'${z}'}\n`
  const code = codeExamples({ kind: 'attestations', filter: { indexingValue } }, base)
  expect(new URL(wordsOf(code.curl ?? '')[0] ?? '').searchParams.get('indexingValue')).toBe(indexingValue)
  expect(JSON.parse(wordsOf(code.GraphQL ?? '')[4] ?? '')).toMatchObject({
    variables: { filter: { indexingValue } },
  })
  expect((await callsOf(code.TypeScript ?? ''))[1]).toEqual([
    '/scan/attestations',
    { indexingValue, include: 'decoded' },
  ])
  for (const text of Object.values(code)) expect(text).not.toMatch(/[\u202E\u2028]/u)
})

test('Edges are of the same attestations, as far as they are valid', () => {
  const { Edges } = codeExamples({ kind: 'attestations', filter: { schemaId } }, base)
  expect(Edges).toContain(`'${base}/scan/export/edges.csv?schemaId=${schemaId}'`)
  const revoked = codeExamples({ kind: 'attestations', filter: { schemaId, revoked: false } }, base)
  expect(revoked).not.toHaveProperty('Edges')
})

test('Changes follow the same attestations, where the interface has their filters', () => {
  const schemaId = 'onchain_evm_10_0x8'
  const code = codeExamples({ kind: 'attestations', filter: { schemaId } }, base)
  expect(code.Changes).toContain(`'${base}/scan/changes?schemaId=${schemaId}'`)
  expect(code.Changes).toContain(`'${base}/scan/changes?schemaId=${schemaId}&since=CURSOR'`)
  const attestedFrom = '1700000000'
  expect(codeExamples({ kind: 'attestations', filter: { attestedFrom } }, base)).not.toHaveProperty('Changes')
})

test('Reputation asks for the summary of clients that the app names', () => {
  const id = 'eip155:8453:0x8004a169fb4a3325136eb29fa0ceb6d2e539a432/22'
  const code = codeExamples({ kind: 'agent', id }, base)
  expect(code.Reputation).toContain(
    `/scan/agents/${encodeURIComponent(id)}/reputation?client[in]=<addresses of clients whom you trust>`,
  )
  expect(codeExamples({ kind: 'schemas', filter: {} }, base)).not.toHaveProperty('Reputation')
})

test('an attestation on chain has its status, a wait, a proof and a badge', async () => {
  const id = 'onchain_evm_11155111_0x5'
  const code = codeExamples({ kind: 'attestation', id, protocol: 'sign' }, base)
  const [status = '', , , , payload = ''] = wordsOf(code.Status ?? '')
  const headers = { 'content-type': 'application/json' }
  const answer = await app.inject({ method: 'POST', url: status.slice(base.length), headers, payload })
  expect(answer.json()).toMatchObject({ success: true, data: { rows: [{ id }] } })
  const [wait = ''] = wordsOf(code.Wait ?? '')
  const [, badge = ''] = /\((.*?)\)/.exec(code.Badge ?? '') ?? []
  expect(code.Embed).toContain(`<img src="${badge}" `)
  expect(code.Embed?.match(/"/g)).toHaveLength(6)
  for (const url of [wait, badge]) expect((await app.inject(url.slice(base.length))).statusCode).toBe(200)
  expect(wordsOf(code.Proof?.split('\n')[0] ?? '')[0]).toBe(
    `${base}/scan/attestations/${id}/proof?protocol=sign`,
  )
  for (const question of [
    { kind: 'attestation', id: 'offchain_0x1', protocol: undefined },
    { kind: 'schema', id: schemaId, protocol: undefined },
  ] as const) {
    expect(codeExamples(question, base)).not.toHaveProperty('Status')
  }
})
