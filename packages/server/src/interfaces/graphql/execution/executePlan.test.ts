import fc from 'fast-check'
import { buildSchema, execute, getOperationAST, type GraphQLSchema, parse, validate } from 'graphql'
import { describe, expect, test } from 'vitest'
import { historyRuns } from '@attestry/store/testing/historyShare.ts'
import { randomDocument, type RandomDocument } from '../testing/randomDocument.ts'
import { compileOperation } from './compileOperation.ts'
import { executePlan, formatExecuted } from './executePlan.ts'

/** A schema in which fields fail in every way: at once or later, where they may be null and where they must not. */
function createFailingSchema(): GraphQLSchema {
  const schema = buildSchema(`
    type Query { node: Node nodes: [Node!] loose: [Node] strict: Node! sure: [Node!]! leaves: [Int!] matrix: [[Int]!] }
    type Node {
      id: String! number: Int float: Float flag: Boolean kind: Kind
      sum(a: Int = 1, b: [Int!] = [1, 2]): Int
      echo(text: String = "none", number: Float, flag: Boolean, sure: Int! = 7, within: Within, all: [[Within]]): String
      wrongNumber: Int wrongList: [String] absent: String! fails: String failsSure: String! failsLater: String failsLaterSure: String!
      given: String thrown: String
      node: Node later: Node! nodes: [Node!] mixed: [Node] none: Node!
    }
    enum Kind { ONE TWO }
    input Within { text: String = "own" number: Float numbers: [Int] flag: Boolean within: Within kind: Kind }
  `)
  const sample = {
    id: '"é\\',
    number: -0,
    float: 0.1,
    flag: true,
    kind: 'TWO',
    wrongNumber: 'many',
    wrongList: 7,
    given: new Error('given'),
  }
  const fail = () => {
    throw new Error('failed')
  }
  const resolvers: Record<
    string,
    Record<string, (source: unknown, values: Record<string, unknown>) => unknown>
  > = {
    Query: {
      node: () => sample,
      nodes: () => Promise.resolve([sample, Promise.resolve(sample)]),
      loose: () => [sample, null, Promise.reject(new Error('an item')), new Error('an error')],
      strict: () => Promise.resolve(sample),
      sure: () => [sample],
      leaves: () => [1, Promise.resolve(2), 3],
      matrix: () => [[1, null], Promise.resolve([2])],
    },
    Node: {
      sum: (_source, { a, b }) => Number(a ?? 0) + (Array.isArray(b) ? b.length : 0),
      echo: (_source, values) => JSON.stringify(values),
      fails: fail,
      failsSure: fail,
      failsLater: () => Promise.reject(new Error('later')),
      failsLaterSure: () => Promise.reject(new Error('later')),
      thrown: fail,
      node: () => sample,
      later: () => Promise.resolve(sample),
      nodes: () => [sample, Promise.resolve(sample)],
      mixed: () => Promise.resolve([null, sample]),
      none: () => null,
    },
  }
  for (const [typeName, fields] of Object.entries(resolvers)) {
    const type = schema.getType(typeName)
    if (type === undefined || !('getFields' in type)) throw new TypeError(typeName)
    for (const [name, resolve] of Object.entries(fields))
      Object.assign(type.getFields()[name] ?? {}, { resolve })
  }
  return schema
}

const schema = createFailingSchema()

async function run(
  { query, variables }: RandomDocument,
  over = schema,
  pause: () => void | Promise<void> = () => undefined,
): Promise<unknown> {
  const document = parse(query)
  const operation = getOperationAST(document)
  if (operation == null) throw new TypeError('no operation')
  const plan = compileOperation(over, document, operation)
  const { coerced, errors } = plan.readVariables(variables)
  if (coerced === undefined) return { errors }
  const executed = await executePlan(plan, {
    variables: coerced,
    // Nothing in this schema looks at it.
    context: {},
    pause,
    charactersMax: 100_000,
    presentError: (error) => ({ message: String(error) }),
  })
  return JSON.parse(formatExecuted(executed))
}

/** The result of graphql-js. */
async function runReference({ query, variables }: RandomDocument): Promise<unknown> {
  const document = parse(query)
  expect(validate(schema, document)).toEqual([])
  return JSON.parse(JSON.stringify(await execute({ schema, document, variableValues: variables })))
}

/** Data and the places of errors: messages are the server's own matter, and so is their order. */
function comparable(result: unknown): unknown {
  const { data, errors = [] } = result as { data: unknown; errors?: { path?: unknown }[] }
  return { data, errors: errors.map(({ path }) => JSON.stringify(path)).sort() }
}

describe('a plan answers as graphql-js does', () => {
  const values = {
    ...{ a: ['0', '7', 'null'], b: ['[]', '[1]', 'null', '3'], sure: ['0', '-1'] },
    ...{ text: ['""', '"é"', 'null'], number: ['0.5', '3'], numbers: ['[]', '4'], flag: ['true'] },
  }

  test('whatever valid document it is made from', async () => {
    await fc.assert(
      fc.asyncProperty(fc.nat(), async (seed) => {
        const document = randomDocument(schema, seed, { values, depthMax: 4 })
        const [ours, theirs] = await Promise.all([run(document), runReference(document)])
        const [mine, reference] = [comparable(ours), comparable(theirs)] as {
          data: unknown
          errors: string[]
        }[]
        expect(mine?.data, document.query).toEqual(reference?.data)
        // If one failure nulls a value, the specification leaves open which failures of other parts are reported.
        expect(mine?.errors.length === 0, document.query).toBe(reference?.errors.length === 0)
      }),
      { numRuns: historyRuns(4_000) },
    )
  })

  test.each([
    '{ node { fails failsLater wrongNumber wrongList given } }',
    '{ node { failsSure } nodes { id } }',
    '{ node { id failsLaterSure } }',
    '{ nodes { id failsLaterSure } }',
    '{ loose { id failsSure } }',
    '{ strict { none { id } } }',
    '{ sure { absent } node { id } }',
    '{ leaves matrix }',
    '{ __proto__: node { constructor: id toString: number } }',
    '{ node { sum a: sum(a: null) b: sum(b: 5) c: sum(a: 2, b: []) } }',
    'query ($x: Int = 4, $y: [Int!]) { node { sum(a: $x, b: $y) } }',
    '{ __type(name: "Node") { name fields { name type { kind ofType { name } } } } __schema { directives { name args { defaultValue } } } }',
  ])('%s', async (query) => {
    const document = { query, variables: {} }
    expect(comparable(await run(document))).toEqual(comparable(await runReference(document)))
  })

  async function expectSame(document: RandomDocument): Promise<void> {
    expect(comparable(await run(document))).toEqual(comparable(await runReference(document)))
  }

  const variable = fc.oneof(
    fc.constantFrom(undefined, null, 0, -0, 7, -(2 ** 31), 2 ** 31, 0.5, '', '7', 'é', true, 'TWO', 'THREE'),
    fc.array(fc.constantFrom(null, 1, 'one'), { maxLength: 2 }),
    fc.record({ text: fc.constantFrom(null, 'é'), other: fc.constant(1) }, { requiredKeys: [] }),
  )

  test.each<[places: string, declared: string, used: string]>([
    ['a text', '$a: String', 'text: $a'],
    ['a number', '$a: Float', 'number: $a'],
    ['a truth', '$a: Boolean', 'flag: $a'],
    ['a whole number', '$a: Int!', 'sure: $a'],
    ['a place for no null', '$a: Int = 9', 'sure: $a'],
    ['fields', '$a: String!, $b: Float = 3, $d: Int = 9', 'text: $a, number: $b, sure: $d'],
    ['objects', '$a: String, $b: Within, $c: Kind', 'within: { text: $a, within: $b, kind: $c, flag: true }'],
    ['lists', '$a: Int, $b: [Int], $c: Within', 'all: [[{ numbers: [1, $a] }, { numbers: $b }], null, [$c]]'],
  ])('with variables of any values in %s', async (_places, declared, used) => {
    const query = `query (${declared}) { node { echo(${used}) } }`
    await fc.assert(
      fc.asyncProperty(fc.record({ a: variable, b: variable, c: variable, d: variable }), (variables) =>
        expectSame({ query, variables }),
      ),
      { numRuns: 300 },
    )
    await expectSame({ query, variables: {} })
  })

  test('with variables of any name', async () => {
    const query =
      'query ($__proto__: String, $toString: String) { node { echo(text: $__proto__) other: echo(text: $toString) } }'
    for (const names of [['__proto__'], ['toString'], ['__proto__', 'toString']]) {
      await expectSame({ query, variables: Object.fromEntries(names.map((name) => [name, 'text'])) })
    }
  })

  test('long lists as short ones, with a pause now and then', async () => {
    const over = buildSchema('type Query { items: [Item] sure: [Item!] } type Item { id: Int! }')
    const items = Array.from({ length: 1_001 }, (_, id) =>
      id % 300 === 7 ? Promise.resolve({ id: null }) : { id },
    )
    for (const field of ['items', 'sure'])
      Object.assign(over.getQueryType()?.getFields()[field] ?? {}, { resolve: () => items })
    let pauses = 0
    const pause = () => {
      pauses += 1
      return Promise.resolve()
    }
    const found = await run({ query: '{ items { id } sure { id } }', variables: {} }, over, pause)
    const answers = items.map((item) => (item instanceof Promise ? null : item))
    expect(found).toMatchObject({ data: { items: answers, sure: null }, errors: { length: 5 } })
    // The list that may hold no null ends with its first part.
    expect(pauses).toBe(Math.ceil(1_001 / 10) + 200 / 10)
  })

  test('an answer that becomes too long has no data', async () => {
    const over = buildSchema('type Query { items: [Item!]! } type Item { text: String! }')
    const items = Array.from({ length: 200 }, () => ({ text: 'x'.repeat(150) }))
    Object.assign(over.getQueryType()?.getFields()['items'] ?? {}, { resolve: () => items })
    const aliases = (count: number) =>
      Array.from({ length: count }, (_, index) => `a${index}: text`).join(' ')
    expect(await run({ query: `{ items { ${aliases(3)} } }`, variables: {} }, over)).toMatchObject({
      data: { items: { length: 200 } },
    })
    expect(await run({ query: `{ items { ${aliases(4)} } }`, variables: {} }, over)).toEqual({
      data: null,
      errors: [
        expect.objectContaining({
          message: expect.stringMatching(/more than 100,000 characters .*smaller/),
        }),
      ],
    })
  })

  test('an answer of many failures has no data, and the first of them', async () => {
    const over = buildSchema('type Query { items: [Item] } type Item { text: String }')
    const items = Array.from({ length: 1_000 }, () => ({ text: Promise.reject(new Error('none')) }))
    for (const { text } of items) text.catch(() => undefined)
    Object.assign(over.getQueryType()?.getFields()['items'] ?? {}, { resolve: () => items })
    expect(await run({ query: '{ items { text } }', variables: {} }, over)).toMatchObject({
      data: null,
      errors: { length: 101 },
    })
  })

  test('the types of the schema with a pause now and then, though they are few', async () => {
    let pauses = 0
    const pause = () => {
      pauses += 1
      return Promise.resolve()
    }
    const found = await run({ query: '{ __schema { types { name } } }', variables: {} }, undefined, pause)
    const names = Object.keys(schema.getTypeMap())
    expect(found).toEqual({ data: { __schema: { types: names.map((name) => ({ name })) } } })
    expect(names.length).toBeLessThan(200)
    expect(pauses).toBe(Math.ceil(names.length / 10))
  })

  test('a list ends where its pause throws', async () => {
    const over = buildSchema('type Query { items: [Int] }')
    Object.assign(over.getQueryType()?.getFields()['items'] ?? {}, { resolve: () => new Array(201).fill(1) })
    const refuse = () => {
      throw new Error('refused')
    }
    const found = await run({ query: '{ items }', variables: {} }, over, refuse)
    expect(found).toMatchObject({ data: { items: null }, errors: [{ message: 'Error: refused' }] })
  })

  test('a rejection that nobody awaits does not end the process', async () => {
    const query = '{ strict { failsLaterSure failsSure later { failsLaterSure } } }'
    expect(await run({ query, variables: {} })).toMatchObject({ data: null })
    // graphql-js leaves a rejection unhandled if an item fails behind one that is still awaited.
    const lists = buildSchema('type Query { items: [Item!] } type Item { sure: String! }')
    const items = [Promise.resolve({ sure: null }), { sure: null }]
    Object.assign(lists.getQueryType()?.getFields()['items'] ?? {}, { resolve: () => items })
    expect(await run({ query: '{ items { sure } }', variables: {} }, lists)).toMatchObject({
      data: { items: null },
    })
  })
})
