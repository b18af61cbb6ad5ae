import { serveAgents } from '@attestry/agents/serveAgents.ts'
import { serveErc8004 } from './serveErc8004.ts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Hash } from '@attestry/core/model/hex.ts'
import { decodeAttestedPayload } from '@attestry/core/protocols/decodeAttestedPayload.ts'
import { createServer } from '@attestry/server/testing/createServer.ts'
import {
  adaUri,
  buyer,
  client,
  fillAgents,
  friend,
  gave,
  owner,
  requested,
  responded,
} from '@attestry/server/pipeline/testing/agentSample.ts'
import { createSqliteTestStore } from '@attestry/server/testing/sqliteTestStore.ts'

const store = await createSqliteTestStore()
const app = createServer({
  reader: store.openReader(),
  decodePayload: decodeAttestedPayload,
  wings: [serveAgents(), serveErc8004()],
})

beforeAll(async () => {
  const writer = store.openWriter()
  await fillAgents(writer, [
    responded(2, 'ipfs://first'),
    responded(2, 'ipfs://second'),
    // Of an agent, and to feedback, that the index does not have.
    gave({ agentId: 77n, from: friend, index: 6, value: 1n, decimals: 0, tag1: 'nobody' }),
    requested(77n, `0x${'77'.repeat(32)}` as Hash, 'ipfs://nobody'),
    responded(99, 'ipfs://nothing'),
  ])
  await writer.close()
})
afterAll(async () => {
  await app.close()
  await store.remove()
})

interface Answer {
  readonly data?: Readonly<Record<string, unknown>>
  readonly errors?: readonly { readonly message: string }[]
}

async function post(query: string, variables: object = {}): Promise<Answer> {
  const response = await app.inject({
    method: 'POST',
    url: '/erc8004/5/graphql',
    headers: { 'content-type': 'application/json' },
    payload: JSON.stringify({ query, variables }),
  })
  return response.json<Answer>()
}

async function ask(query: string, variables: object = {}): Promise<Readonly<Record<string, unknown>>> {
  const { data, errors } = await post(query, variables)
  expect(errors).toBeUndefined()
  return data ?? {}
}

/** The ids of the agents of a `where`, as the SDK asks for them. */
async function agentsWhere(where: object, order: object = {}): Promise<readonly string[]> {
  const { agents } = await ask(
    `query SearchAgentsV2($where: Agent_filter, $first: Int!, $skip: Int!, $orderBy: Agent_orderBy!, $orderDirection: OrderDirection!) {
      agents(where: $where, first: $first, skip: $skip, orderBy: $orderBy, orderDirection: $orderDirection) { id }
    }`,
    { where, first: 10, skip: 0, orderBy: 'createdAt', orderDirection: 'asc', ...order },
  )
  return (agents as readonly { readonly id: string }[]).map(({ id }) => id)
}

test('rows of agents and feedback that are not indexed are left out: their relations are never null', async () => {
  const found = await ask(`{
    feedbacks(where: { tag1: "nobody" }) { id agent { id } }
    validations { id agent { id } }
    feedbackResponses(where: { responseUri: "ipfs://nothing" }) { id feedback { id } }
    feedback(id: "5:77:${friend}:6") { agent { id } }
  }`)
  expect(found).toEqual({
    feedbacks: [],
    validations: [],
    feedbackResponses: [],
    feedback: null,
  })
})

describe('agents', () => {
  test.each([
    [{}, ['5:0', '5:1']],
    [{ registrationFile_not: null }, ['5:0']],
    [{ registrationFile: null }, ['5:1']],
    [{ id_in: ['5:1', '5:9', '6:0', 'x'] }, ['5:1']],
    [{ agentId: '0' }, ['5:0']],
    [{ owner: buyer.toUpperCase().replace('0X', '0x') }, ['5:1']],
    [{ owner_in: [owner, friend] }, ['5:0']],
    [{ agentWallet: owner }, ['5:0']],
    [{ agentWallet: null }, ['5:1']],
    [{ operators_contains: [owner] }, []],
    [{ totalFeedback_gt: '0' }, ['5:0']],
    [{ totalFeedback: '0' }, ['5:1']],
    [{ totalFeedback_gte: 5 }, []],
    [{ createdAt_gte: 1_770_000_030 }, ['5:1']],
    [{ agentURI: adaUri }, ['5:0']],
    [{ registrationFile_: { name_contains_nocase: 'aD' } }, ['5:0']],
    [{ registrationFile_: { name_contains: 'aD' } }, []],
    [{ registrationFile_: { active: true, x402Support: true, hasOASF: true } }, ['5:0']],
    [{ registrationFile_: { hasOASF: false } }, []],
    [{ registrationFile_: { mcpEndpoint_not: null } }, ['5:0']],
    [{ registrationFile_: { webEndpoint: null, registrationFile_not: undefined } }, ['5:0', '5:1']],
    [{ registrationFile_not: null, registrationFile_: { webEndpoint_not: null } }, []],
    [{ and: [{ or: [{ registrationFile_: { oasfSkills_contains: ['maths/adding'] } }] }] }, ['5:0']],
    [{ registrationFile_: { supportedTrusts_contains: ['reputation', 'tee'] } }, []],
    [{ or: [{ id: '5:0' }, { owner: buyer }] }, ['5:0', '5:1']],
  ])('where %j are %j', async (where, ids) => {
    expect(await agentsWhere(where)).toEqual(ids)
  })

  test.each(['createdAt', 'updatedAt', 'totalFeedback', 'lastActivity', 'id', 'agentId', 'owner'])(
    'stand by %s in both directions',
    async (orderBy) => {
      const up = await agentsWhere({}, { orderBy, orderDirection: 'asc' })
      const down = await agentsWhere({}, { orderBy, orderDirection: 'desc' })
      expect(up).toHaveLength(2)
      expect(down).toEqual([...up].reverse())
    },
  )

  test.each(['String!', 'ID!', 'Bytes!'])('are found by a variable of %s', async (type) => {
    const query = `query GetAgent($agentId: ${type}) { agent(id: $agentId) { id agentURIType owner agentWallet
      operators totalFeedback registrationFile { id cid agentId name image x402Support x402support supportedTrusts
      mcpEndpoint mcpVersion a2aEndpoint oasfSkills oasfDomains hasOASF ens mcpTools endpointsRawJson } } }`
    const { agent } = await ask(query, { agentId: '5:0' })
    expect(agent).toMatchObject({
      id: '5:0',
      agentURIType: 'datauri',
      owner,
      agentWallet: owner,
      totalFeedback: '4',
      registrationFile: {
        agentId: '5:0',
        name: 'Ada',
        x402Support: true,
        supportedTrusts: ['reputation'],
        mcpEndpoint: 'https://mcp.ada.example',
        mcpVersion: '2025-06-18',
        oasfSkills: ['maths/adding'],
        hasOASF: true,
        ens: null,
        mcpTools: [],
      },
    })
    expect(await ask(query, { agentId: 'nothing' })).toEqual({ agent: null })
    const file = (agent as { readonly registrationFile: { readonly id: string; endpointsRawJson: string } })
      .registrationFile
    expect(JSON.parse(file.endpointsRawJson)).toContainEqual(
      expect.objectContaining({ name: 'OASF', skills: ['maths/adding'] }),
    )
    expect(
      await ask('query F($id: ID!) { agentRegistrationFile(id: $id) { name } }', { id: file.id }),
    ).toEqual({
      agentRegistrationFile: { name: 'Ada' },
    })
  })
})

describe('feedback', () => {
  const all = 'first: 10, orderBy: createdAt, orderDirection: desc'
  test.each([
    ['agent_in: ["5:0"], isRevoked: false', 4],
    ['agent: "5:1"', 0],
    [`clientAddress_in: ["${friend}"]`, 3],
    ['tag1: "quality"', 2],
    ['or: [{ tag1: "quality", isRevoked: false }, { tag2: "no uid", isRevoked: false }]', 3],
    ['value_gte: 90', 1],
    ['value_lt: 0', 1],
    ['score_gte: 80', 1],
    ['isRevoked: true', 1],
    ['createdAt_gt: "1770000070"', 3],
  ])('where %s', async (where, count) => {
    const { feedbacks } = await ask(`{ feedbacks(where: { ${where} }, ${all}) { id } }`)
    expect(feedbacks).toHaveLength(count)
  })

  test('has its agent, its value and its responses', async () => {
    const { feedbacks } = await ask(
      `{ feedbacks(where: { clientAddress: "${client}" }, first: 1, skip: 1, ${all.slice(11)}) {
        id agent { id agentId chainId } clientAddress feedbackIndex value score tag1 tag2 endpoint feedbackURI
        feedbackURIType feedbackHash isRevoked createdAt revokedAt feedbackFile { id text capability }
        responses { id responder responseUri responseHash createdAt feedback { id } } } }`,
    )
    expect(feedbacks).toMatchObject([
      {
        id: `5:0:${client}:1`,
        agent: { id: '5:0', agentId: '0', chainId: '5' },
        value: '99.5',
        score: 99,
        isRevoked: false,
        revokedAt: null,
        feedbackFile: null,
        responses: [{ responder: owner, responseUri: 'ipfs://thanks' }],
      },
    ])
  })

  test('is found by its id', async () => {
    const query = 'query F($id: ID!) { feedback(id: $id) { id value } }'
    const id = `5:0:${client}:1`
    expect(await ask(query, { id })).toEqual({ feedback: { id, value: '99.5' } })
    expect(await ask(query, { id: `5:0:${client}:9` })).toEqual({ feedback: null })
    const { feedbacks } = await ask(`{ feedbacks(where: { id_in: ["${id}", "x"] }) { id } }`)
    expect(feedbacks).toEqual([{ id }])
  })

  test('has responses that are listed alone', async () => {
    const { feedbackResponses } = await ask('{ feedbackResponses(first: 5) { id responder createdAt } }')
    expect(feedbackResponses).toMatchObject([
      { responder: owner },
      { responder: owner },
      { responder: owner },
    ])
  })

  test.each(['', '(where: {})', '(orderBy: id)', '(where: { responder_not: "" })'])(
    'has its responses by their ids: %s',
    async (given) => {
      const query = `{ feedback(id: "5:0:${client}:2") { responses${given} { responseUri } } }`
      const responses = [{ responseUri: 'ipfs://first' }, { responseUri: 'ipfs://second' }]
      expect(await ask(query)).toEqual({ feedback: { responses } })
    },
  )
})

test('metadata is found by key and value', async () => {
  const query = `query M($where: AgentMetadata_filter, $first: Int!, $skip: Int!) {
    agentMetadatas(where: $where, first: $first, skip: $skip) { id key value updatedAt agent { id } } }`
  const page = { first: 1_000, skip: 0 }
  const key = 'nul\0 and \ud800'
  const { agentMetadatas } = await ask(query, { where: { key, value: '0xABCD' }, ...page })
  expect(agentMetadatas).toMatchObject([{ key, value: '0xabcd', agent: { id: '5:0' } }])
  expect(await ask(query, { where: { key: 'none' }, ...page })).toEqual({ agentMetadatas: [] })
})

describe('the documents of the README of the subgraph', () => {
  test.each([
    `query GetCompleteAgentDetails($agentId: ID!) { agent(id: $agentId) { id chainId agentId owner agentURI createdAt
      updatedAt totalFeedback lastActivity registrationFile { name description image active x402Support supportedTrusts
      mcpEndpoint mcpVersion mcpTools a2aEndpoint a2aVersion a2aSkills ens did agentWallet agentWalletChainId }
      feedback(where: { isRevoked: false }, first: 10) { score tag1 tag2 clientAddress createdAt
        feedbackFile { text capability skill task context } responses { responder createdAt } }
      validations(orderBy: createdAt, orderDirection: desc) { validatorAddress response status tag createdAt } } }`,
    `query GetAllMCPAgents { agentRegistrationFiles(where: { mcpEndpoint_not: null, active: true } first: 100) {
      id agentId name description mcpEndpoint mcpVersion mcpTools supportedTrusts } }`,
    `query GetHighRatedFeedback($minScore: Int!) { feedbacks(where: { isRevoked: false, score_gte: $minScore }
      first: 100 orderBy: score orderDirection: desc) { id score tag1 tag2 agent { id registrationFile { name
      description } } feedbackFile { text capability skill } responses { responder createdAt } } }`,
    `query FindAgentsByTrustModel($trustModel: String!) { agentRegistrationFiles(
      where: { supportedTrusts_contains: [$trustModel], active: true } first: 50) { agentId name supportedTrusts } }`,
    `query GetProtocolStats { globalStats(id: "global") { totalAgents totalFeedback totalValidations totalProtocols
      tags updatedAt } }`,
    `{ agents(where: { agentURIType_in: ["ipfs", "datauri"] } first: 100) { id registrationFile { cid name } } }`,
    '{ protocol(id: "5") { id name identityRegistry totalAgents totalFeedback tags updatedAt } _meta { block { number } } }',
  ])('%s', async (query) => {
    const data = await ask(query, { agentId: '5:0', minScore: 50, trustModel: 'reputation' })
    const [found] = Object.values(data)
    expect(found).not.toBeNull()
    expect(found).not.toEqual([])
  })
})

describe('related rows', () => {
  test.each([
    [`feedbacks(where: { agent_: { owner: "${owner}" } })`, 5],
    [`feedbacks(where: { agent_: { owner_not: "${owner}" } })`, 0],
    ['feedbacks(where: { agent_: { id: "5:0", registrationFile_: { name: "Ada" } }, isRevoked: true })', 1],
    ['feedbacks(where: { or: [{ agent_: { createdAt_lt: 1 } }, { tag1: "quality" }] })', 2],
    ['feedbacks(where: { feedbackFile_not: null })', 1],
    ['feedbacks(where: { feedbackFile: null })', 4],
    ['feedbacks(where: { feedbackFile_: { text_contains_nocase: "GOOD" } })', 1],
    ['feedbacks(where: { feedbackFile_: { valueRaw_gte: "99", oasfSkills_contains: ["maths"] } })', 1],
    ['feedbackFiles(where: { mcpTool: "add", agentId: "0" }, orderBy: createdAt, orderDirection: desc)', 1],
    ['feedbackFiles(where: { text: "Bad" })', 0],
    ['feedbackResponses(where: { feedback_: { agent: "5:0", tag1: "quality" } })', 3],
    ['feedbackResponses(where: { feedback_: { isRevoked: true } })', 0],
    ['validations(where: { agent_: { owner_not: "" }, status: COMPLETED, status_in: [PENDING] })', 0],
    [`agentMetadatas(where: { agent_: { owner: "${owner}" } })`, 1],
    ['agentMetadatas(where: { agent_: { id: "5:1" }, key_not: "agentWallet" })', 0],
    ['protocols(where: { chainId: 5, totalAgents_gte: 2 }, orderBy: id)', 1],
    ['protocols(where: { chainId: 6 })', 0],
  ])('narrow %s', async (list, count) => {
    const [found] = Object.values(await ask(`{ ${list} { id } }`))
    expect(found).toHaveLength(count)
  })

  test.each([
    ['agents(orderBy: registrationFile__name, orderDirection: desc)', ['5:0', '5:1']],
    ['agents(orderBy: registrationFile__createdAt)', ['5:1', '5:0']],
    ['protocol(id: "5") { agents(orderBy: createdAt, orderDirection: desc)', ['5:1', '5:0']],
    ['globalStats(id: "global") { agents(where: { totalFeedback_gt: 0 })', ['5:0']],
  ])('order %s', async (list, ids) => {
    const data = await ask(`{ ${list} { id } ${list.includes(') {') ? '}' : ''} }`)
    const [found] = Object.values(data)
    const { agents = found } = found as { readonly agents?: unknown }
    expect(agents).toEqual(ids.map((id) => ({ id })))
  })

  test('order feedback by its agent and by its file', async () => {
    for (const orderBy of ['agent__createdAt', 'feedbackFile__text'])
      expect((await ask(`{ feedbacks(orderBy: ${orderBy}) { id } }`))['feedbacks']).toHaveLength(5)
  })

  test('a file of feedback has the members of the standard and its drafts', async () => {
    const members = `id cid feedbackId agentRegistry agentId clientAddress createdAtIso valueRaw valueDecimals text
      capability mcpTool a2aTaskId oasfSkills a2aSkills proofOfPaymentChainId proofOfPaymentTxHash tag1 tag2 createdAt`
    const { feedbackFiles } = await ask(`{ feedbackFiles { ${members} } }`)
    expect(feedbackFiles).toMatchObject([
      {
        feedbackId: `5:0:${friend}:4`,
        agentId: '0',
        createdAtIso: '2026-02-01T00:00:00Z',
        valueRaw: '99999999999999999999',
        valueDecimals: 2,
        text: 'Good work',
        capability: null,
        mcpTool: 'add',
        a2aTaskId: null,
        oasfSkills: ['maths'],
        a2aSkills: [],
        proofOfPaymentChainId: '8453',
        proofOfPaymentTxHash: '0x1',
        // The tag on chain counts.
        tag1: null,
      },
    ])
    const { id } = (feedbackFiles as readonly { readonly id: string }[])[0] ?? { id: '' }
    const query = 'query F($id: ID!) { feedbackFile(id: $id) { text } }'
    expect(await ask(query, { id })).toEqual({ feedbackFile: { text: 'Good work' } })
    expect(await ask(query, { id: 'none' })).toEqual({ feedbackFile: null })
  })
})

test('the statistics of an agent are those of its feedback that is not revoked', async () => {
  const members = `id agent { id } totalFeedback averageScore scoreDistribution totalValidations completedValidations
    averageValidationScore`
  expect(await ask(`{ agentStats(id: "5:0") { ${members} } }`)).toEqual({
    agentStats: {
      id: '5:0',
      agent: { id: '5:0' },
      totalFeedback: '4',
      averageScore: '25.25',
      scoreDistribution: [2, 0, 0, 0, 1],
      totalValidations: '0',
      completedValidations: '0',
      averageValidationScore: '0',
    },
  })
  expect(await ask('{ agentStats(id: "5:9") { id } }')).toEqual({ agentStats: null })
})

test('the state is the newest one, whatever the subgraphError argument', async () => {
  const { agents } = await ask('{ agents(block: { number_gte: 3 }, subgraphError: allow) { id } }')
  expect(agents).toHaveLength(2)
})

test.each([
  ['{ agents(first: 1001) { id } }', /first is 1001/],
  ['{ agents(where: { createdAt_gt: null }) { id } }', /createdAt_gt is null/],
  ['{ agents(where: { agentId: "x" }) { id } }', /where.agentId is/],
  ['{ nothing { id } }', /Cannot query field "nothing"/],
  ['{ agents(block: { number: 3 }) { id } }', /newest block alone.*asOf/],
  ['{ agent(id: "5:0", block: { number_gte: 1000 }) { id } }', /block 1000 is not indexed yet/],
  ['{ _meta(block: { hash: "0x1" }) { block { number } } }', /newest block alone/],
  ['{ agents(where: { feedback_: { tag1: "x" } }) { id } }', /ask for feedbacks instead/],
  ['{ feedbacks(where: { responses_: { responder: "0x" } }) { id } }', /ask for feedbackResponses instead/],
  ['subscription { agents { id } }', /only queries here/],
])('%s is refused in a sentence', async (query, sentence) => {
  expect((await post(query)).errors?.[0]?.message).toMatch(sentence)
})
