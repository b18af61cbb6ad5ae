import { afterAll, beforeAll, expect, test } from 'vitest'
import { validationSchemaId } from '@attestry/core/model/agents.ts'
import { checksumAddress } from '@attestry/core/model/checksumAddress.ts'
import type { DomainEvent } from '@attestry/core/model/domainEvent.ts'
import { decodeAttestedPayload } from '@attestry/core/protocols/decodeAttestedPayload.ts'
import { createPolicies } from '@attestry/trust/gate/gatePolicies.ts'
import {
  agentChain,
  buyer,
  changed,
  client,
  fillAgents,
  friend,
  gave,
  sampleAgentId,
  sampleNow,
} from '@attestry/server/pipeline/testing/agentSample.ts'
import { createSqliteTestStore } from '@attestry/server/testing/sqliteTestStore.ts'
import { createTestServer } from '@attestry/server/testing/graphqlServer.ts'

const store = await createSqliteTestStore()
const eas = `onchain_evm_${agentChain}_0x${'7'.repeat(61)}1f4`
const { app, post, get, calls } = createTestServer({
  reader: store.openReader(),
  decodePayload: decodeAttestedPayload,
  policies: createPolicies({ known: { holds: { schema: eas, attester: 'any' } } }, true),
  now: () => sampleNow,
})
const longName = 'x'.repeat(3_000)
const long = changed(2n, {
  change: 'registered',
  owner: buyer,
  uri: `data:application/json,{"name":"${longName}"}`,
})
const validated = (block: number): DomainEvent => {
  const event = gave({ agentId: 1n, from: friend, index: 9, value: 100n, decimals: 0, tag1: 'zk' })(block)
  if (event.kind !== 'attestationMade') throw new TypeError('feedback is an attestation')
  return { ...event, attestation: { ...event.attestation, schemaLocalId: validationSchemaId } }
}
const [ada, plain, wordy] = [0n, 1n, 2n].map(sampleAgentId)

beforeAll(async () => {
  const writer = store.openWriter()
  await fillAgents(writer, [long, validated])
  await writer.close()
})
afterAll(async () => {
  await app.close()
  await store.remove()
})

type Members = Readonly<Record<string, unknown>>

async function ask(query: string, variables: Members = {}): Promise<Members> {
  const { data, errors } = await post(query, variables)
  expect(errors).toEqual([])
  return data ?? {}
}

const rest = async (path: string) => (await get(`/scan/agents${path}`)) as Members & { rows: Members[] }

/** Times are texts in REST and numbers in GraphQL. */
function withNumbers(row: Members): Members {
  const times = Object.entries(row).filter(([name]) => /timestamp$/i.test(name))
  return { ...row, ...Object.fromEntries(times.map(([name, time]) => [name, Number(time)])) }
}

const rowFields = `id chainId agentId owner wallet uri uriState uriReason name description image active
  endpoints { name endpoint version } x402 trusts skills domains registeredTimestamp updatedTimestamp transactionHash feedbackCount reviewerCount`

test('an agent has the members of REST', async () => {
  const { agent } = await ask(
    `query ($id: String!) { agent(id: $id) { ${rowFields} revokedCount responseCount versionCount
      metadata { key value } registration didAddresses { did address } } }`,
    { id: ada },
  )
  expect(agent).toEqual(withNumbers(await rest(`/${encodeURIComponent(ada ?? '')}`)))
  expect(await ask('{ agent(id: "5:0") { name } }')).toEqual({ agent: { name: 'Ada' } })
  expect(await ask('{ agent(id: "5:9") { name } }')).toEqual({ agent: null })
})

test('agents are listed by cursor, with those of REST by each filter', async () => {
  for (const [filter, search] of [
    ['', ''],
    [`filter: { owner: "${buyer}" }`, `owner=${buyer}`],
    ['filter: { active: true chainId: "5" }', 'active=true&chainId=5'],
    ['filter: { hasFeedback: false }', 'hasFeedback=false'],
    ['filter: { keyword: "ADDS" }', 'keyword=ADDS'],
    ['filter: { chainId: "6" }', 'chainId=6'],
    ['filter: { service: "MCP" capability: "reputation" }', 'service=MCP&capability=reputation'],
  ]) {
    const { agents } = await ask(`{ agents(first: 50 ${filter}) { totalCount nodes { id owner } } }`)
    const { total, rows } = await rest(`?size=50&${search}`)
    expect([filter, agents]).toEqual([
      filter,
      { totalCount: total, nodes: rows.map(({ id, owner: account }) => ({ id, owner: account })) },
    ])
  }
  const query = `query ($after: String) { agents(first: 2, after: $after, orderBy: OLDEST_FIRST) {
    nodes { id } pageInfo { hasNextPage endCursor } } }`
  const first = (await ask(query))['agents'] as { readonly pageInfo: { readonly endCursor: string } }
  expect(first).toMatchObject({ nodes: [{ id: ada }, { id: plain }], pageInfo: { hasNextPage: true } })
  expect(await ask(query, { after: first.pageInfo.endCursor })).toMatchObject({
    agents: { nodes: [{ id: wordy }], pageInfo: { hasNextPage: false } },
  })
})

test('the URI and registration of an agent are whole in a list too', async () => {
  const { agents } = await ask(`{ agents(filter: { owner: "${buyer}" }) { nodes { id uri registration } } }`)
  const { nodes } = agents as { readonly nodes: readonly Members[] }
  expect(nodes.find(({ id }) => id === wordy)).toMatchObject({
    uri: expect.stringContaining(longName) as unknown,
    registration: { name: longName },
  })
})

const feedbackFields = `attestation { attestationId attester revoked } value tag1 tag2 endpoint feedbackURI feedbackHash
  feedbackIndex responseCount eas { id status mismatch }`

test.each([
  ['', ''],
  [`client: "${client}"`, `client=${client}`],
  ['tag1: "eas"', 'tag1=eas'],
  ['revoked: true', 'revoked=true'],
  ['by: "known"', 'by=known'],
  ['page: 2, size: 2', 'page=2&size=2'],
])('feedback (%s) is that of REST', async (given, search) => {
  const { agent } = await ask(
    `{ agent(id: "5:0") { feedback${given && `(${given})`} { total page size rows { ${feedbackFields} }
      by { policy policyHash leftOut unknown } } } }`,
  )
  const page = await rest(`/5:0/feedback?${search}`)
  const rows = page.rows.map((row) => {
    const { value, tag1, tag2, endpoint, feedbackURI, feedbackHash, feedbackIndex, responseCount } = row
    const said = { value, tag1, tag2, endpoint, feedbackURI, feedbackHash, feedbackIndex }
    const { attestationId, attester, revoked } = row
    return { attestation: { attestationId, attester, revoked }, ...said, responseCount, eas: row['eas'] }
  })
  expect(rows.length).toBeGreaterThan(0)
  expect(agent).toEqual({ feedback: { ...page, rows } })
})

test('responses and references of feedback are read once for a page', async () => {
  calls.length = 0
  await ask('{ agent(id: "5:0") { feedback { rows { responseCount eas { status } } } } }')
  expect(calls.filter((name) => name === 'countAgentNotes')).toHaveLength(1)
  expect(calls.filter((name) => name === 'findAttestations')).toHaveLength(1)
})

test('the reputation, responses and history are those of REST', async () => {
  const scores = 'count reviewerCount average tags { tag count average }'
  const { agent } = await ask(
    `{ agent(id: "5:0") { reputation(by: "known") { ${scores} by { ${scores} policy policyHash leftOut unknown } }
      responses { total page size rows { feedbackId client feedbackIndex responder responseURI responseHash
        timestamp blockNumber transactionHash } }
      history { total page size rows { change owner from uri updatedBy key value timestamp blockNumber
        transactionHash } } } }`,
  )
  const [whole, responses, history] = await Promise.all(
    ['reputation?by=known', 'responses', 'history'].map((path) => rest(`/5:0/${path}`)),
  )
  const { summary: _summary, ...reputation }: Readonly<Record<string, unknown>> = whole ?? {}
  expect(agent).toEqual({
    reputation,
    responses: { ...responses, rows: responses?.rows.map(withNumbers) },
    history: { ...history, rows: history?.rows.map(withNumbers) },
  })
})

test.each([
  ['agent(id: "x") { id }', 'id must be the id of an agent such as'],
  ['agents(filter: { owner: "me" }) { totalCount }', 'owner must be 0x'],
  ['agent(id: "5:0") { feedback(by: "none") { total } }', 'none'],
  ['agent(id: "5:0") { history(size: 101) { total } }', 'size must be a whole number from 1 to 100'],
])('%s is an error that says what is right', async (field, message) => {
  const { errors } = await post(`{ ${field} }`)
  expect(errors.map(({ extensions }) => extensions.code)).toEqual(['BAD_USER_INPUT'])
  expect(errors[0]?.message).toContain(message)
})

test.each(['feedback { total }', 'reputation { count }', 'metadata { key }'])(
  '%s of very many agents costs too much',
  async (field) => {
    const { errors } = await post(
      `{ ${['a', 'b', 'c'].map((name) => `${name}: agents(first: 100) { nodes { ${field} } }`).join(' ')} }`,
    )
    expect(errors.map(({ extensions }) => extensions.limit)).toEqual(['cost'])
  },
)

test('validations are attestations about the agent', async () => {
  const fields = 'validations { totalCount nodes { schemaId attester } }'
  const { plainOne, adaOne } = await ask(
    `{ plainOne: agent(id: "5:1") { ${fields} feedbackCount } adaOne: agent(id: "5:0") { ${fields} } }`,
  )
  const nodes = [{ schemaId: validationSchemaId, attester: checksumAddress(friend) }]
  expect(plainOne).toEqual({ validations: { totalCount: 1, nodes }, feedbackCount: 0 })
  expect(adaOne).toEqual({ validations: { totalCount: 0, nodes: [] } })
})
