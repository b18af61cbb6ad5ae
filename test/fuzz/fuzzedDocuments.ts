import fc from 'fast-check'
import {
  getNamedType,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
  isObjectType,
  isInterfaceType,
  isUnionType,
  type GraphQLArgument,
  type GraphQLField,
  type GraphQLInputType,
  type GraphQLNamedType,
  type GraphQLSchema,
} from 'graphql'

/** GraphQL documents: valid ones of the schema with arguments of every kind, damaged ones, and noise. */
export function fuzzedDocuments(schema: GraphQLSchema, values: fc.Arbitrary<string>): fc.Arbitrary<string> {
  const query = schema.getQueryType()
  if (query === null || query === undefined) throw new Error('the schema has no queries')
  const wellFormed = selectionOf(query, values, 0).map((selection) => `query Q ${selection}`)
  const damaged = fc
    .tuple(
      wellFormed,
      fc.nat(),
      fc.constantFrom('', '{', '}', '"', '$x', '...F', '@skip(if: true)', '\0', '(', ': 1'),
    )
    .map(([document, at, piece]) => {
      const place = at % document.length
      return document.slice(0, place) + piece + document.slice(place + 1)
    })
  const crafted = fc.constantFrom(
    'query A { __typename } query B { __typename }',
    'mutation { x }',
    'subscription { x }',
    'fragment F on Query { ...F } { ...F }',
    `{ ${'a: __typename '.repeat(3_000)} }`,
    `${'{ attestations { nodes { schema '.repeat(300)}`,
    'query ($x: Int = {}) { __typename }',
    '{ __schema { types { fields { type { ofType { ofType { ofType { name } } } } } } } }',
    '',
  )
  return fc.oneof(
    { weight: 6, arbitrary: wellFormed },
    { weight: 2, arbitrary: damaged },
    { weight: 1, arbitrary: crafted },
    { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 200 }) },
  )
}

const depthMax = 4

function selectionOf(
  type: GraphQLNamedType,
  values: fc.Arbitrary<string>,
  depth: number,
): fc.Arbitrary<string> {
  if (isUnionType(type)) return fc.constant('{ __typename }')
  if (!isObjectType(type) && !isInterfaceType(type)) return fc.constant('')
  const fields = Object.values(type.getFields()).filter(
    (field) => depth < depthMax || !isObjectType(getNamedType(field.type)),
  )
  if (fields.length === 0) return fc.constant('{ __typename }')
  return fc
    .subarray(fields, { minLength: 1, maxLength: Math.min(fields.length, depth === 0 ? 2 : 5) })
    .chain((chosen) => fc.tuple(...chosen.map((field) => fieldOf(field, values, depth))))
    .map((texts) => `{ ${texts.join(' ')} }`)
}

function fieldOf(
  field: GraphQLField<unknown, unknown>,
  values: fc.Arbitrary<string>,
  depth: number,
): fc.Arbitrary<string> {
  // Required arguments are always present; otherwise hardly any document would be valid.
  const required = field.args.filter(({ type }) => isNonNullType(type))
  const given = fc
    .subarray(field.args.filter(({ type }) => !isNonNullType(type)))
    .chain((chosen) => fc.tuple(...[...required, ...chosen].map((each) => argumentOf(each, values))))
  return fc
    .tuple(given, selectionOf(getNamedType(field.type), values, depth + 1))
    .map(([texts, selection]) => {
      const parentheses = texts.length === 0 ? '' : `(${texts.join(', ')})`
      return `${field.name}${parentheses} ${selection}`
    })
}

function argumentOf(argument: GraphQLArgument, values: fc.Arbitrary<string>): fc.Arbitrary<string> {
  return inputOf(argument.type, values, 0).map((value) => `${argument.name}: ${value}`)
}

function inputOf(type: GraphQLInputType, values: fc.Arbitrary<string>, depth: number): fc.Arbitrary<string> {
  if (isNonNullType(type)) return inputOf(type.ofType, values, depth)
  if (isListType(type)) {
    return fc
      .array(inputOf(type.ofType, values, depth + 1), { maxLength: 3 })
      .map((items) => `[${items.join(', ')}]`)
  }
  const odd = fc.constantFrom(
    'null',
    '{}',
    '[]',
    '-1',
    '1e400',
    '99999999999999999999',
    '"x"',
    'TRUE',
    '$missing',
  )
  return fc.oneof({ weight: 9, arbitrary: fittingOf(type, values, depth) }, { weight: 1, arbitrary: odd })
}

function fittingOf(
  type: GraphQLInputType,
  values: fc.Arbitrary<string>,
  depth: number,
): fc.Arbitrary<string> {
  if (isEnumType(type)) return fc.constantFrom(...type.getValues().map(({ name }) => name))
  if (isInputObjectType(type)) {
    const fields = Object.values(type.getFields())
    if (depth > 2) return fc.constant('{}')
    return fc
      .subarray(fields, { maxLength: Math.min(fields.length, 4) })
      .chain((chosen) =>
        fc.tuple(
          ...chosen.map((field) =>
            inputOf(field.type, values, depth + 1).map((value) => `${field.name}: ${value}`),
          ),
        ),
      )
      .map((members) => `{ ${members.join(', ')} }`)
  }
  switch (String(type)) {
    case 'Int':
      return fc.oneof(fc.integer({ min: 0, max: 120 }).map(String), fc.integer().map(String))
    case 'Float':
      return fc.oneof(
        fc.integer({ min: 0, max: 2_000_000_000 }).map(String),
        fc.double({ noNaN: true }).map(String),
      )
    case 'Boolean':
      return fc.constantFrom('true', 'false')
    default:
      return values.map((value) => JSON.stringify(value.toWellFormed()))
  }
}
