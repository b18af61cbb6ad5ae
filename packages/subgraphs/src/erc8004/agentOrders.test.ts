import { serveAgents } from '@attestry/agents/serveAgents.ts'
import { serveErc8004 } from './serveErc8004.ts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createSqliteTestStore } from '@attestry/server/testing/sqliteTestStore.ts'
import { createServer } from '@attestry/server/testing/createServer.ts'
import {
  changed,
  client,
  fillAgents,
  friend,
  gave,
  owner,
  requested,
  validated,
  validationSchemaRegistered,
} from '@attestry/server/pipeline/testing/agentSample.ts'
import type { DomainEvent } from '@attestry/core/model/domainEvent.ts'
import { zeroHash } from '@attestry/core/model/hex.ts'
import { decodeAttestedPayload } from '@attestry/core/protocols/decodeAttestedPayload.ts'
import { agentNumbers } from './agentNumbers.ts'

test.each([1, 9, 10, 11, 100, 134, 1_000])('numbers below %d come in both orders, each once', (count) => {
  const numbers = Array.from({ length: count }, (_, number) => number)
  const asText = numbers.map(String).sort().map(Number)
  expect([...agentNumbers('agentId', count, false)]).toEqual(numbers)
  expect([...agentNumbers('agentId', count, true)]).toEqual(numbers.toReversed())
  expect([...agentNumbers('id', count, false)]).toEqual(asText)
  expect([...agentNumbers('id', count, true)]).toEqual(asText.toReversed())
})

const stores = [await createSqliteTestStore(), await createSqliteTestStore()] as const
const apps = stores.map((store) =>
  createServer({
    reader: store.openReader(),
    decodePayload: decodeAttestedPayload,
    wings: [serveAgents(), serveErc8004()],
  }),
)

/** Agents up to a number, of which every seventh has feedback, and every fifth gets a new file later. */
function life(numbers: readonly number[]): readonly ((block: number) => DomainEvent)[] {
  const uri = (text: string) => `data:application/json,{"name":"${text}"}`
  return [
    ...numbers.map((number) =>
      changed(BigInt(number), {
        change: 'registered',
        owner: number % 3 === 0 ? owner : friend,
        uri: number % 2 === 0 ? uri(`a${number}`) : '',
      }),
    ),
    ...numbers
      .filter((number) => number % 5 === 0)
      .toReversed()
      .map((number) => changed(BigInt(number), { change: 'uriUpdated', uri: uri(`b${number}`), by: owner })),
    ...numbers
      .filter((number) => number % 7 === 0)
      .flatMap((number) =>
        Array.from({ length: 1 + (number % 4) }, (_, index) =>
          gave({
            agentId: BigInt(number),
            from: client,
            index: 1_000 + number * 10 + index,
            value: 1n,
            decimals: 0,
            tag1: '',
          }),
        ),
      ),
    ...numbers
      .filter((number) => number % 11 === 0)
      .map((number) => changed(BigInt(number), { change: 'metadataSet', key: 'k', value: '0x01' as never })),
    validationSchemaRegistered,
    requested(2n, zeroHash, ''),
    validated(2n, zeroHash, 90, ''),
  ]
}

beforeAll(async () => {
  const dense = Array.from({ length: 230 }, (_, index) => index + 2)
  // The other chain leaves a number out, so that numbers do not lead to all agents.
  for (const [index, numbers] of [dense, dense.filter((number) => number !== 57)].entries()) {
    const writer = stores[index]?.openWriter()
    if (writer === undefined) continue
    await fillAgents(writer, life(numbers))
    await writer.close()
  }
})
afterAll(async () => {
  for (const app of apps) await app.close()
  for (const store of stores) await store.remove()
})

interface Agent {
  readonly id: string
  readonly [field: string]: unknown
}

async function agents(index: number, given: string): Promise<readonly Agent[]> {
  const fields =
    'id agentId createdAt updatedAt totalFeedback lastActivity registrationFile { name createdAt }'
  const payload = { query: `{ agents(${given}) { ${fields} } }` }
  const response = await apps[index]?.inject({ method: 'POST', url: '/erc8004/5/graphql', payload })
  const { data, errors } = response?.json<{ data: { agents: readonly Agent[] }; errors?: unknown }>() ?? {}
  expect(errors).toBeUndefined()
  return data?.agents ?? []
}

describe.each([0, 1])('agents of chain %d', (index) => {
  test.each(
    ['id', 'agentId', 'totalFeedback', 'lastActivity', 'createdAt', 'updatedAt'].flatMap((orderBy) =>
      ['asc', 'desc'].flatMap((direction) =>
        ['', 'where: { registrationFile_not: null },', 'where: { totalFeedback_gt: 0 },'].map(
          (where) => [orderBy, direction, where] as const,
        ),
      ),
    ),
  )('by %s %s %s are those of all of them in this order', async (orderBy, direction, where) => {
    const all = await agents(index, `first: 1000, ${where} orderBy: createdAt, orderDirection: ${direction}`)
    const keyOf = (agent: Agent) => (orderBy === 'id' ? agent.id : Number(agent[orderBy]))
    const sign = direction === 'asc' ? 1 : -1
    const sorted = all.toSorted((a, b) => {
      const [one, other] = [keyOf(a), keyOf(b)]
      return one === other ? 0 : one < other ? -sign : sign
    })
    for (const [first, skip] of [
      [3, 0],
      [20, 15],
      [150, 90],
    ] as const) {
      const given = `first: ${first}, skip: ${skip}, ${where} orderBy: ${orderBy}, orderDirection: ${direction}`
      expect(await agents(index, given)).toEqual(sorted.slice(skip, skip + first))
    }
  })

  test.each(['asc', 'desc'])('files by their time %s are those of all', async (direction) => {
    const ask = async (first: number, skip: number) => {
      const query = `{ agentRegistrationFiles(first: ${first}, skip: ${skip}, orderBy: createdAt, orderDirection: ${direction}) { name createdAt } }`
      const response = await apps[index]?.inject({
        method: 'POST',
        url: '/erc8004/5/graphql',
        payload: { query },
      })
      return (
        response?.json<{ data: { agentRegistrationFiles: readonly Agent[] } }>().data
          .agentRegistrationFiles ?? []
      )
    }
    const all = await ask(1_000, 0)
    const times = all.map(({ createdAt }) => Number(createdAt))
    const sorted = times.toSorted((a, b) => (direction === 'asc' ? a - b : b - a))
    expect(times).toEqual(sorted)
    expect(all.length).toBeGreaterThan(100)
    expect(await ask(10, 40)).toEqual(all.slice(40, 50))
    expect(await ask(3, 0)).toEqual(all.slice(0, 3))
  })
})

test.each([
  ['agents(first: 5) { id }', /order by createdAt/],
  ['agents(first: 5, orderBy: agentId, orderDirection: desc) { id }', /order by createdAt/],
  ['agents(first: 5, orderBy: totalFeedback, orderDirection: desc) { id }', /^answered$/],
  ['agents(first: 5, orderBy: lastActivity, orderDirection: desc) { id }', /^answered$/],
  ['agents(first: 5, where: { totalFeedback_gte: 2 }, orderBy: agentURI) { id }', /^answered$/],
  ['agentRegistrationFiles(first: 5, orderBy: createdAt, orderDirection: desc) { id }', /^answered$/],
])('%s reads a part of the chain where it can', async (list, refusal) => {
  const answers = await Promise.all(
    stores.map(async (store) => {
      const reader = store.openReader()
      const app = createServer({
        reader,
        decodePayload: decodeAttestedPayload,
        wings: [serveAgents(), serveErc8004({ limits: { rows: 150 } })],
      })
      const payload = { query: `{ ${list} }` }
      const response = await app.inject({ method: 'POST', url: '/erc8004/5/graphql', payload })
      await app.close()
      return (
        response.json<{ errors?: readonly { readonly message: string }[] }>().errors?.[0]?.message ?? null
      )
    }),
  )
  expect(answers[0]).toBeNull()
  expect(answers[1] ?? 'answered').toMatch(refusal)
})

test('validations are no feedback of the chain', async () => {
  const query =
    '{ globalStats(id: "global") { totalFeedback totalValidations } feedbacks(first: 1000, orderBy: createdAt) { id } }'
  for (const app of apps) {
    const response = await app.inject({ method: 'POST', url: '/erc8004/5/graphql', payload: { query } })
    const { data } = response.json<{ data: { globalStats: object; feedbacks: readonly object[] } }>()
    expect(data.feedbacks).not.toHaveLength(0)
    expect(data.globalStats).toEqual({
      totalFeedback: String(data.feedbacks.length),
      totalValidations: '1',
    })
  }
})
