import type { FieldKind } from '../condition.ts'
import { rootOf } from '../rowSource.ts'
import type { PrismaShape, PrismaShapes } from './entity.ts'

/**
 * The whole schema of GraphQL as TypeGraphQL over Prisma names its types, inputs and arguments; without mutations, which
 * no client can use, and with object types only (see `graphql/typeDefinitions.ts`).
 */
export function prismaTypeDefinitions(dialect: PrismaShapes): string {
  const entities = Object.values(dialect)
  return [
    `type Query {\n${entities.flatMap(rootFields).join('\n')}\n}`,
    ...entities.flatMap(entityTypes),
    ...filterTypes,
  ].join('\n\n')
}

const scalarTypes: Readonly<Record<FieldKind, string>> = {
  hex: 'String',
  text: 'String',
  int: 'Int',
  bool: 'Boolean',
}

function listArguments(model: string): string {
  return (
    `where: ${model}WhereInput, orderBy: [${model}OrderByWithRelationInput!], ` +
    `cursor: ${model}WhereUniqueInput, take: Int, skip: Int`
  )
}

function rootFields({ name: model, many }: PrismaShape): string[] {
  const unique = `(where: ${model}WhereUniqueInput!): ${model}`
  const list = `(${listArguments(model)}, distinct: [${model}ScalarFieldEnum!])`
  const groups =
    `(where: ${model}WhereInput, orderBy: [${model}OrderByWithAggregationInput!], by: [${model}ScalarFieldEnum!]!, ` +
    `having: ${model}ScalarWhereWithAggregatesInput, take: Int, skip: Int)`
  return [
    `aggregate${model}(${listArguments(model)}): Aggregate${model}!`,
    `findFirst${model}${list}: ${model}`,
    `findFirst${model}OrThrow${list}: ${model}`,
    `${many}${list}: [${model}!]!`,
    `${rootOf(model)}${unique}`,
    `get${model}${unique}`,
    `groupBy${model}${groups}: [${model}GroupBy!]!`,
  ]
}

function entityTypes({ name: model, fields, relatedTo }: PrismaShape): string[] {
  const kinds = new Map(Object.entries(fields).map(([name, { kind }]) => [name, kind]))
  const names = [...kinds.keys()]
  const integers = names.filter((name) => kinds.get(name) === 'int')
  const compared = names.filter((name) => kinds.get(name) !== 'bool')
  const each = (of: readonly string[], type: (name: string) => string) =>
    of.map((name) => `${name}: ${type(name)}`)
  const scalar = (name: string) => scalarTypes[kinds.get(name) ?? 'text']
  const all = Object.entries(relatedTo)
  const lists = all.filter(([, { isList }]) => isList)
  const types = [
    block('type', model, [
      ...each(names, (name) => `${scalar(name)}!`),
      ...all.map(([name, relation]) =>
        relation.isList
          ? `${name}(${listArguments(relation.entity)}, distinct: [${relation.entity}ScalarFieldEnum!]): [${relation.entity}!]!`
          : `${name}: ${relation.entity}!`,
      ),
      ...(lists.length === 0 ? [] : [`_count: ${model}Count`]),
    ]),
    block('input', `${model}WhereInput`, [
      ...['AND', 'OR', 'NOT'].map((name) => `${name}: [${model}WhereInput!]`),
      ...each(names, (name) => `${filterName(scalar(name))}Filter`),
      ...all.map(
        ([name, relation]) =>
          `${name}: ${relation.entity}${relation.isList ? 'ListRelation' : 'Relation'}Filter`,
      ),
    ]),
    block('input', `${model}WhereUniqueInput`, ['id: String']),
    block('input', `${model}RelationFilter`, [`is: ${model}WhereInput`, `isNot: ${model}WhereInput`]),
    block(
      'input',
      `${model}ListRelationFilter`,
      each(['every', 'some', 'none'], () => `${model}WhereInput`),
    ),
    block('input', `${model}OrderByWithRelationInput`, [
      ...each(names, () => 'SortOrder'),
      ...all.map(
        ([name, relation]) =>
          `${name}: ${relation.entity}${relation.isList ? 'OrderByRelationAggregateInput' : 'OrderByWithRelationInput'}`,
      ),
    ]),
    block('input', `${model}OrderByRelationAggregateInput`, ['_count: SortOrder']),
    block('input', `${model}ScalarWhereWithAggregatesInput`, [
      ...['AND', 'OR', 'NOT'].map((name) => `${name}: [${model}ScalarWhereWithAggregatesInput!]`),
      ...each(names, (name) => `${filterName(scalar(name))}WithAggregatesFilter`),
    ]),
    block('enum', `${model}ScalarFieldEnum`, names),
  ]
  const aggregates: string[] = []
  const orders: string[] = []
  for (const [part, of, type] of [
    ['Count', names, () => 'Int!'],
    ['Avg', integers, () => 'Float'],
    ['Sum', integers, () => 'Int'],
    ['Min', compared, scalar],
    ['Max', compared, scalar],
  ] as const) {
    const members = each(of, type)
    types.push(
      block('type', `${model}${part}Aggregate`, part === 'Count' ? [...members, '_all: Int!'] : members),
    )
    types.push(
      block(
        'input',
        `${model}${part}OrderByAggregateInput`,
        each(of, () => 'SortOrder'),
      ),
    )
    aggregates.push(`_${part.toLowerCase()}: ${model}${part}Aggregate`)
    orders.push(`_${part.toLowerCase()}: ${model}${part}OrderByAggregateInput`)
  }
  return [
    ...types,
    block('input', `${model}OrderByWithAggregationInput`, [...each(names, () => 'SortOrder'), ...orders]),
    block('type', `Aggregate${model}`, aggregates),
    block('type', `${model}GroupBy`, [...each(names, (name) => `${scalar(name)}!`), ...aggregates]),
    ...(lists.length === 0
      ? []
      : [
          block(
            'type',
            `${model}Count`,
            lists.map(([name, relation]) => `${name}(where: ${relation.entity}WhereInput): Int!`),
          ),
        ]),
  ]
}

function block(keyword: string, name: string, members: readonly string[]): string {
  return `${keyword} ${name} {\n${members.map((member) => `  ${member}`).join('\n')}\n}`
}

function filterName(scalar: string): string {
  return scalar === 'Boolean' ? 'Bool' : scalar
}

const filterTypes = (['String', 'Int', 'Float', 'Boolean'] as const).flatMap((scalar) => {
  const name = filterName(scalar)
  const compared = ['lt', 'lte', 'gt', 'gte'].map((operator) => `${operator}: ${scalar}`)
  const own = [
    `equals: ${scalar}`,
    ...(scalar === 'Boolean' ? [] : [`in: [${scalar}!]`, `notIn: [${scalar}!]`, ...compared]),
    ...(scalar === 'String' ? ['contains: String', 'startsWith: String', 'endsWith: String'] : []),
  ]
  const numbers = scalar === 'Int' ? ['_avg: NestedFloatFilter', '_sum: NestedIntFilter'] : []
  const aggregates = [
    '_count: NestedIntFilter',
    ...numbers,
    `_min: Nested${name}Filter`,
    `_max: Nested${name}Filter`,
  ]
  const mode = scalar === 'String' ? ['mode: QueryMode'] : []
  return [
    block('input', `${name}Filter`, [...own, ...mode, `not: Nested${name}Filter`]),
    block('input', `Nested${name}Filter`, [...own, `not: Nested${name}Filter`]),
    block('input', `${name}WithAggregatesFilter`, [
      ...own,
      ...mode,
      `not: Nested${name}WithAggregatesFilter`,
      ...aggregates,
    ]),
    block('input', `Nested${name}WithAggregatesFilter`, [
      ...own,
      `not: Nested${name}WithAggregatesFilter`,
      ...aggregates,
    ]),
  ]
})

filterTypes.push('enum SortOrder {\n  asc\n  desc\n}', 'enum QueryMode {\n  default\n  insensitive\n}')
