import { serveErc8004 } from '@attestry/subgraphs/erc8004/serveErc8004.ts'
import { deepEqual, equal } from 'node:assert/strict'
import { createServer } from '@attestry/server/testing/createServer.ts'
import {
  adaUri,
  agentChain,
  buyer,
  client,
  fillAgents,
  friend,
  owner,
} from '@attestry/server/pipeline/testing/agentSample.ts'
import { listenLocally } from '@attestry/server/pipeline/testing/sendRaw.ts'
import { createSqliteTestStore } from '@attestry/server/testing/sqliteTestStore.ts'
import { decodeAttestedPayload } from '@attestry/core/protocols/decodeAttestedPayload.ts'

/**
 * `npm run test:agent0`: the SDK of agent0lab as it is published, with `subgraphOverrides` pointed at the service,
 * searches agents and feedback, reads an agent, and adds up its reputation. It is installed only beside this file.
 */

type Row = Readonly<Record<string, unknown>>

/** The part of the SDK that is used. */
interface Sdk {
  readonly SDK: new (config: object) => {
    searchAgents(filters?: object, options?: object): Promise<readonly (Row & { readonly agentId: string })[]>
    getAgent(agentId: string): Promise<Row | null>
    searchFeedback(filters: object, options?: object): Promise<readonly Row[]>
    getReputationSummary(agentId: string, tag1?: string, tag2?: string): Promise<Row>
  }
}

const library = 'agent0-sdk'
const { SDK } = (await import(library)) as Sdk
const store = await createSqliteTestStore()
const writer = store.openWriter()
await fillAgents(writer)
await writer.close()
const reader = store.openReader()
const app = createServer({ reader, decodePayload: decodeAttestedPayload, wings: [serveErc8004()] })
try {
  const url = `http://127.0.0.1:${await listenLocally(app)}/erc8004/${agentChain}/graphql`
  const registries = { IDENTITY: owner, REPUTATION: owner }
  const sdk = new SDK({
    chainId: agentChain,
    rpcUrl: 'http://127.0.0.1:1',
    subgraphOverrides: { [agentChain]: url },
    registryOverrides: { [agentChain]: registries },
  })
  const chains = [agentChain]
  const search = async (filters: object, options: object = {}) =>
    (await sdk.searchAgents({ chains, ...filters }, options)).map(({ agentId }) => agentId)

  deepEqual(await search({}), ['5:0'])
  deepEqual(await search({ hasRegistrationFile: false }), ['5:1'])
  deepEqual(await search({ name: 'ad', active: true, hasMCP: true, hasOASF: true, x402support: true }), [
    '5:0',
  ])
  deepEqual(await search({ hasWeb: true }), [])
  deepEqual(await search({ hasEndpoints: true, oasfSkills: ['maths/adding', 'none'] }), ['5:0'])
  deepEqual(await search({ owners: [buyer], hasRegistrationFile: false }), ['5:1'])
  deepEqual(await search({ walletAddress: owner, supportedTrust: ['reputation'] }), ['5:0'])
  deepEqual(await search({ agentIds: ['5:1', '5:0'], registeredAtFrom: 1_770_000_000 }), ['5:0'])
  deepEqual(await search({ feedback: { hasFeedback: true } }), ['5:0'])
  deepEqual(await search({ feedback: { minCount: 2, tag: 'quality' } }), ['5:0'])
  deepEqual(await search({ feedback: { fromReviewers: [client], hasResponse: true } }), ['5:0'])
  deepEqual(await search({ feedback: { minValue: 90 } }), [])
  deepEqual(await search({ hasMetadataKey: 'nul\0 and \ud800' }), ['5:0'])
  deepEqual(await search({}, { sort: ['createdAt:asc'] }), ['5:0'])

  const agent = await sdk.getAgent('5:0')
  equal(agent?.['name'], 'Ada')
  deepEqual(agent?.['owners'], [owner])
  deepEqual([agent?.['agentURI'], agent?.['walletAddress'], agent?.['feedbackCount']], [adaUri, owner, 4])
  equal(await sdk.getAgent('5:99'), null)

  const feedback = await sdk.searchFeedback({ agentId: '5:0' })
  deepEqual(
    feedback.map(({ reviewer, value, tags }) => [reviewer, value, tags]),
    [
      [friend, 1, ['eas', 'no uid']],
      [friend, 1, ['eas', `0x${'ea'.repeat(32)}`]],
      [client, -0.5, ['quality']],
      [client, 99.5, ['quality']],
    ],
  )
  equal((await sdk.searchFeedback({ agentId: '5:0', includeRevoked: true })).length, 5)
  equal((await sdk.searchFeedback({ agentId: '5:0', tags: ['quality'], reviewers: [client] })).length, 2)
  equal((await sdk.searchFeedback({ reviewers: [client] }, { minValue: 90 })).length, 1)
  deepEqual(await sdk.getReputationSummary('5:0'), { count: 4, averageValue: 25.25 })
  deepEqual(await sdk.getReputationSummary('5:0', 'quality'), { count: 2, averageValue: 49.5 })
  process.stdout.write(
    'The SDK of agent0lab searches and adds up, with its subgraphOverrides alone changed.\n',
  )
} finally {
  await app.close()
  await reader.close()
  await store.remove()
}
