import fc from 'fast-check'
import type { FastifyInstance } from 'fastify'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { parseLocalId } from '@attestry/core/model/compositeId.ts'
import type { DomainEvent } from '@attestry/core/model/domainEvent.ts'
import type { Hash, Hex } from '@attestry/core/model/hex.ts'
import { eventPosition } from '@attestry/core/model/position.ts'
import { decodeAttestedPayload } from '@attestry/core/protocols/decodeAttestedPayload.ts'
import {
  buyer,
  changed,
  client,
  fillAgents,
  friend,
  gave,
  owner,
  requested,
  responded,
  validated,
  validationSchemaRegistered,
} from '@attestry/server/pipeline/testing/agentSample.ts'
import { sampleChain } from '@attestry/server/pipeline/testing/sampleIndex.ts'
import { sampleAddress, sampleSchema } from '@attestry/server/pipeline/testing/sampleRecords.ts'
import { createTestIndex, openTestIndex } from '@attestry/server/pipeline/testing/testIndex.ts'
import { createServer } from '@attestry/server/testing/createServer.ts'
import { createSqliteTestStore } from '@attestry/server/testing/sqliteTestStore.ts'
import { serveErc8004 } from '../../erc8004/serveErc8004.ts'
import { serveVerax } from '../../verax/serveVerax.ts'

/**
 * Random lists of the entities in graph-node's form are held against all of their rows, which this file filters, orders
 * and cuts by graph-node's rules. `verax/lists.test.ts` has the attestations of Verax, with a model of their values.
 */

type Value = string | number | boolean | readonly string[] | null
type Row = Readonly<Record<string, Value>>

/** `text` and `hex` are texts, of which `hex` has no case. */
type Kind = 'text' | 'hex' | 'number' | 'bool' | 'list'

interface Entity {
  readonly path: string
  readonly root: string
  readonly name: string
  /** Fields of a related row are written `<relation>.<field>`. */
  readonly fields: Readonly<Record<string, Kind>>
  /** The order whose rows, sorted stably, give every other order. */
  readonly base: 'id' | 'createdAt'
  /** The order of rows that compare equal, if it is not that of `base`. */
  readonly tieOf?: (row: Row) => number
}

const names = (kind: Kind, text: string) => Object.fromEntries(text.split(' ').map((name) => [name, kind]))

const agentFields = {
  ...names('text', 'id agentURI agentURIType'),
  ...names('hex', 'owner agentWallet'),
  ...names('number', 'agentId createdAt updatedAt totalFeedback lastActivity'),
}
const agentFileFields = {
  ...names('text', 'id cid agentId name description endpointsRawJson mcpEndpoint mcpVersion'),
  ...names('bool', 'active x402Support hasOASF'),
  ...names('list', 'supportedTrusts oasfSkills'),
  createdAt: 'number' as const,
}
const feedbackFields = {
  ...names('text', 'id tag1 tag2 endpoint feedbackURI feedbackURIType'),
  ...names('hex', 'clientAddress feedbackHash'),
  ...names('number', 'feedbackIndex value score createdAt revokedAt'),
  isRevoked: 'bool' as const,
}
const below = (relation: string, fields: Readonly<Record<string, Kind>>) =>
  Object.fromEntries(Object.entries(fields).map(([name, kind]) => [`${relation}.${name}`, kind]))
const agent = below('agent', { id: 'text', owner: 'hex', totalFeedback: 'number' })

const path = '/erc8004/5/graphql'
const entities: readonly Entity[] = [
  {
    path,
    root: 'agents',
    name: 'Agent',
    fields: { ...agentFields, ...below('registrationFile', agentFileFields) },
    base: 'createdAt',
  },
  {
    path,
    root: 'agentRegistrationFiles',
    name: 'AgentRegistrationFile',
    fields: agentFileFields,
    base: 'createdAt',
    tieOf: ({ agentId }) => Number(String(agentId).split(':')[1]),
  },
  {
    path,
    root: 'feedbacks',
    name: 'Feedback',
    fields: {
      ...feedbackFields,
      ...agent,
      ...below('feedbackFile', { text: 'text', mcpTool: 'text', oasfSkills: 'list', createdAt: 'number' }),
    },
    base: 'createdAt',
  },
  {
    path,
    root: 'feedbackFiles',
    name: 'FeedbackFile',
    fields: {
      ...names('text', 'id cid feedbackId text mcpTool tag2'),
      oasfSkills: 'list',
      ...names('number', 'agentId createdAt'),
    },
    base: 'createdAt',
  },
  {
    path,
    root: 'feedbackResponses',
    name: 'FeedbackResponse',
    fields: {
      ...names('text', 'id responseUri'),
      ...names('hex', 'responder responseHash'),
      createdAt: 'number',
      ...below('feedback', feedbackFields),
    },
    base: 'id',
  },
  {
    path,
    root: 'validations',
    name: 'Validation',
    fields: {
      ...names('hex', 'id requestHash validatorAddress responseHash'),
      ...names('text', 'requestUri responseUri tag'),
      ...names('number', 'response createdAt updatedAt'),
      ...agent,
    },
    base: 'id',
  },
  {
    path,
    root: 'agentMetadatas',
    name: 'AgentMetadata',
    fields: { ...names('text', 'id key'), value: 'hex', updatedAt: 'number', ...agent },
    base: 'id',
  },
  {
    path: '/verax/10/graphql',
    root: 'schemas',
    name: 'Schema',
    fields: { id: 'hex', ...names('text', 'name description context schema'), attestationCounter: 'number' },
    base: 'id',
  },
  {
    path: '/verax/10/graphql',
    root: 'portals',
    name: 'Portal',
    fields: {
      id: 'hex',
      ...names('text', 'name description ownerName'),
      isRevocable: 'bool',
      modules: 'list',
    },
    base: 'id',
  },
  {
    path: '/verax/10/graphql',
    root: 'modules',
    name: 'Module',
    fields: { id: 'hex', ...names('text', 'name description') },
    base: 'id',
  },
]

const store = await createSqliteTestStore()
const schemaIds = [1, 2, 3, 4, 5, 6, 7].map((number) => parseLocalId(`0x${`${number}`.repeat(64)}`))
const veraxIndex = createTestIndex({
  schemas: schemaIds.flatMap((localId, number) =>
    localId === null
      ? []
      : sampleSchema(number, {
          key: { chainId: 10, localId },
          protocol: 'verax',
          rawText: number % 3 === 0 ? '(uint8 level)' : 'text',
          context: number % 2 === 0 ? '' : 'https://schema.org/100%_',
          position: eventPosition(100 - number, 0),
        }),
  ),
  chains: [sampleChain({ chainId: 10, protocols: ['verax'], name: 'Here' })],
})
const registered = [3, 1, 2, 5, 4, 6].map((number) => ({
  address: sampleAddress(number),
  body: JSON.stringify({
    name: `P${number % 3}`,
    description: number % 2 === 0 ? '' : 'Of %_ Value',
    owner: null,
    ownerName: 'Ada',
    isRevocable: number > 3,
    modules: Array.from({ length: number % 3 }, (_, at) => sampleAddress(30 + at)),
  }),
}))
const reader = openTestIndex(veraxIndex)
const apps: readonly FastifyInstance[] = [
  createServer({
    reader: store.openReader(),
    decodePayload: decodeAttestedPayload,
    wings: [serveErc8004()],
  }),
  createServer({
    reader: { ...reader, listRegistered: () => Promise.resolve(registered) },
    wings: [serveVerax()],
  }),
]

/** Agents, a third with a file and some with feedback; its files, responses to it; validations and metadata. */
function agentLife(): readonly ((block: number) => DomainEvent)[] {
  const numbers = Array.from({ length: 24 }, (_, index) => index + 2)
  const fileOf = (number: number) => {
    const services = [
      { name: 'MCP', endpoint: `https://m${number}`, version: '1' },
      { name: 'OASF', endpoint: 'x', version: '0.8', skills: [`s${number % 2}`, 'all'], domains: [] },
    ]
    const more =
      number % 2 === 0 ? { supportedTrust: ['reputation', 'tee'], services } : { x402Support: true }
    return JSON.stringify({ name: `A${number % 4}`, description: '', active: number % 4 === 0, ...more })
  }
  const uriOf = (number: number) =>
    number % 3 === 2
      ? ''
      : number % 3 === 1
        ? `ipfs://bafy${number}`
        : `data:application/json,${fileOf(number)}`
  const reviewOf = (number: number) => {
    const file = { agentId: number, text: `Text ${number % 3}`, mcp: { tool: 'add' }, tag2: 'of the file' }
    return `data:application/json,${JSON.stringify({ ...file, oasf: { skills: [`s${number % 2}`] } })}`
  }
  const hashOf = (number: number) => `0x${number.toString(16).padStart(64, 'a')}` as Hash
  return [
    ...numbers.map((number) =>
      changed(BigInt(number), {
        change: 'registered',
        owner: [owner, friend, buyer][number % 3] ?? owner,
        uri: uriOf(number),
      }),
    ),
    ...numbers
      .filter((number) => number % 5 === 0)
      .toReversed()
      .map((number) => changed(BigInt(number), { change: 'uriUpdated', uri: uriOf(number + 1), by: owner })),
    ...numbers
      .filter((number) => number % 4 < 2)
      .flatMap((number) =>
        [0, 1, 2].map((at) =>
          gave({
            agentId: BigInt(number),
            from: [client, friend, owner][(number + at) % 3] ?? client,
            index: 100 * number + at,
            value: BigInt((number % 5) * 10 - 20),
            decimals: at,
            tag1: ['', 'quality', 'Speed'][number % 3] ?? '',
            tag2: at === 0 ? 'x' : '',
            uri: at === 2 ? '' : reviewOf(number + at),
          }),
        ),
      ),
    ...[1, 2, 1, 2, 2].map((index, at) => responded(index, at % 2 === 0 ? 'ipfs://thanks' : `https://${at}`)),
    ...numbers
      .filter((number) => number % 3 === 0)
      .map((number) =>
        changed(BigInt(number), {
          change: 'metadataSet',
          key: `k${number % 2}`,
          value: `0x${number % 4}a` as Hex,
        }),
      ),
    validationSchemaRegistered,
    ...numbers
      .slice(0, 12)
      .map((number) => requested(BigInt(number), hashOf(number), `ipfs://${number % 2}`)),
    ...numbers
      .slice(6, 16)
      .map((number) => validated(BigInt(number), hashOf(number), number % 4, `t${number % 2}`)),
  ]
}

beforeAll(async () => {
  const writer = store.openWriter()
  await fillAgents(writer, agentLife())
  await writer.close()
})
afterAll(async () => {
  for (const app of apps) await app.close()
  await store.remove()
})

/** The rows of a list, each with its fields of related rows beside its own. */
async function ask(
  { path: url, root, name: entity, fields }: Entity,
  variables: object,
): Promise<readonly Row[]> {
  const own = Object.keys(fields).filter((name) => !name.includes('.'))
  const related = Object.keys(fields).filter((name) => name.includes('.'))
  const relations = Map.groupBy(related, (name) => name.split('.')[0] ?? '')
  const selections = [...relations].map(
    ([relation, members]) => `${relation} { ${members.map((name) => name.split('.')[1]).join(' ')} }`,
  )
  const query = `query ($first: Int, $skip: Int, $where: ${entity}_filter, $by: ${entity}_orderBy, $to: OrderDirection) {
    ${root}(first: $first, skip: $skip, where: $where, orderBy: $by, orderDirection: $to) { ${[...own, ...selections].join(' ')} }
  }`
  const app = apps[url === path ? 0 : 1]
  const response = await app?.inject({ method: 'POST', url, payload: { query, variables } })
  const { data, errors } = response?.json<{
    data?: Readonly<Record<string, readonly Readonly<Record<string, unknown>>[]>>
    errors?: unknown
  }>() ?? { errors: 'no answer' }
  expect(errors).toBeUndefined()
  return (data?.[root] ?? []).map((row) => {
    const flat = related.map((name) => {
      const [relation = '', member = ''] = name.split('.')
      return [name, (row[relation] as Row | null)?.[member] ?? null]
    })
    return {
      ...(Object.fromEntries(own.map((name) => [name, row[name]])) as Row),
      ...Object.fromEntries(flat),
    } as Row
  })
}

interface Case {
  readonly where: object
  readonly passes: (row: Row) => boolean
}

/** A value as filters and orders compare it: null is an empty text, or below all others. */
function comparable(kind: Kind, value: Value | undefined): string | number {
  if (kind === 'number') return value == null ? -Infinity : Number(value)
  if (kind === 'bool') return value == null ? -1 : Number(value)
  return kind === 'hex' ? String(value ?? '').toLowerCase() : String(value ?? '')
}

/** A filter of a field by its values in the rows. */
function caseOf(field: string, kind: Kind, rows: readonly Row[]): fc.Arbitrary<Case> {
  const values = [...new Set(rows.flatMap((row) => row[field] ?? []))]
  const hasNulls = rows.some((row) => row[field] === null)
  const value = fc.constantFrom(...(values.length > 0 ? values : kind === 'bool' ? [true] : ['7']))
  const member = (operator: string, given: unknown): object => {
    const [relation, own] = field.split('.')
    return own === undefined
      ? { [`${relation}${operator}`]: given }
      : { [`${relation}_`]: { [`${own}${operator}`]: given } }
  }
  const is = (row: Row, wanted: unknown) =>
    row[field] !== null && comparable(kind, row[field]) === comparable(kind, wanted as Value)
  if (kind === 'list') {
    const items = fc.array(value, { maxLength: 2 })
    const held = (row: Row, wanted: unknown) => ((row[field] ?? []) as readonly unknown[]).includes(wanted)
    return fc.oneof(
      items.map((wanted) => ({
        where: member('_contains', wanted),
        passes: (row: Row) => wanted.every((each) => held(row, each)),
      })),
      items.map((wanted) => ({
        where: member('_not_contains', wanted),
        passes: (row: Row) => !wanted.some((each) => held(row, each)),
      })),
      items.map((wanted) => ({
        where: member('', wanted),
        passes: (row: Row) => JSON.stringify(row[field] ?? []) === JSON.stringify(wanted),
      })),
    )
  }
  const cases: fc.Arbitrary<Case>[] = [
    value.map((wanted) => ({ where: member('', wanted), passes: (row) => is(row, wanted) })),
    value.map((wanted) => ({ where: member('_not', wanted), passes: (row) => !is(row, wanted) })),
    fc.array(value, { maxLength: 3 }).map((wanted) => ({
      where: member('_in', wanted),
      passes: (row) => wanted.some((each) => is(row, each)),
    })),
    fc.array(value, { maxLength: 3 }).map((wanted) => ({
      where: member('_not_in', wanted),
      passes: (row) => !wanted.some((each) => is(row, each)),
    })),
  ]
  if (hasNulls) {
    cases.push(
      fc.constant({ where: member('', null), passes: (row) => row[field] === null }),
      fc.constant({ where: member('_not', null), passes: (row) => row[field] !== null }),
    )
  }
  if (kind === 'bool') return fc.oneof(...cases)
  for (const [operator, holds] of [
    ['_gt', (difference: number) => difference > 0],
    ['_gte', (difference: number) => difference >= 0],
    ['_lt', (difference: number) => difference < 0],
    ['_lte', (difference: number) => difference <= 0],
  ] as const) {
    cases.push(
      value.map((wanted) => ({
        where: member(operator, wanted),
        passes: (row) =>
          (kind !== 'number' || row[field] !== null) && holds(compare(kind, row[field], wanted)),
      })),
    )
  }
  if (kind !== 'text') return fc.oneof(...cases)
  const part = fc
    .tuple(value, fc.nat(20), fc.nat(5))
    .map(([text, from, size]) => String(text).slice(from, from + size))
  for (const [operator, holds] of [
    ['_contains', (text: string, wanted: string) => text.includes(wanted)],
    ['_starts_with', (text: string, wanted: string) => text.startsWith(wanted)],
    ['_ends_with', (text: string, wanted: string) => text.endsWith(wanted)],
  ] as const) {
    cases.push(
      part.map((wanted) => ({
        where: member(operator, wanted),
        passes: (row) => holds(String(row[field] ?? ''), wanted),
      })),
      part.map((wanted) => ({
        where: member(`_not${operator}_nocase`, wanted.toUpperCase()),
        passes: (row) => !holds(String(row[field] ?? '').toLowerCase(), wanted.toLowerCase()),
      })),
    )
  }
  return fc.oneof(...cases)
}

function compare(kind: Kind, a: Value | undefined, b: Value | undefined): number {
  const [one, other] = [comparable(kind, a), comparable(kind, b)]
  return one < other ? -1 : one > other ? 1 : 0
}

describe.each(entities)('$root', (entity) => {
  test('are those of all rows that a filter means, in its order', async () => {
    const { fields, base, tieOf } = entity
    const all = new Map<string, readonly Row[]>()
    for (const to of ['asc', 'desc']) {
      const found = await ask(entity, { first: 1_000, by: base, to })
      const sign = to === 'asc' ? 1 : -1
      all.set(to, tieOf === undefined ? found : found.toSorted((a, b) => sign * (tieOf(a) - tieOf(b))))
    }
    const rows = all.get('asc') ?? []
    expect(rows.length).toBeGreaterThan(4)
    const field = fc.constantFrom(...Object.entries(fields))
    const { where } = fc.letrec<{ where: Case }>((tie) => ({
      where: fc.oneof(
        { depthSize: 'small' },
        { weight: 4, arbitrary: field.chain(([name, kind]) => caseOf(name, kind, rows)) },
        fc.tuple(tie('where'), tie('where')).map(([a, b]) => ({
          where: { and: [a.where, b.where] },
          passes: (row: Row) => a.passes(row) && b.passes(row),
        })),
        fc.tuple(tie('where'), tie('where')).map(([a, b]) => ({
          where: { or: [a.where, b.where] },
          passes: (row: Row) => a.passes(row) || b.passes(row),
        })),
      ),
    }))
    const orders = Object.entries(fields).filter(([, kind]) => kind !== 'list')
    const property = fc.asyncProperty(
      where,
      fc.constantFrom(...orders),
      fc.constantFrom('asc', 'desc'),
      fc.nat(5),
      async (filter, [orderBy, kind], direction, skip) => {
        const by = orderBy.replace('.', '__')
        const found = await ask(entity, { first: 6, skip, where: filter.where, by, to: direction })
        const sign = direction === 'asc' ? 1 : -1
        const sorted = (all.get(direction) ?? [])
          .filter(filter.passes)
          .toSorted((a, b) => sign * compare(kind, a[orderBy], b[orderBy]))
        expect(found).toEqual(sorted.slice(skip, skip + 6))
      },
    )
    await fc.assert(property, { numRuns: 120 })
  })
})
