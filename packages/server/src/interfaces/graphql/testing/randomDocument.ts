import {
  getNamedType,
  getNullableType,
  type GraphQLArgument,
  type GraphQLField,
  type GraphQLInputType,
  type GraphQLObjectType,
  type GraphQLSchema,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
  isObjectType,
} from 'graphql'
import { createRandom } from '@attestry/test/simulator/random.ts'

export interface RandomDocument {
  readonly query: string
  readonly variables: Readonly<Record<string, unknown>>
}

export interface RandomDocumentOptions {
  /** Values, as GraphQL writes them, for arguments and members of input objects of these names. */
  readonly values: Readonly<Record<string, readonly string[]>>
  readonly depthMax: number
}

/**
 * A valid query from a seed: fields with and without alias, repeated fields, inline and named fragments, conditions by
 * literal and by variable, arguments by literal, by variable, and left out.
 */
export function randomDocument(
  schema: GraphQLSchema,
  seed: number,
  { values, depthMax }: RandomDocumentOptions,
): RandomDocument {
  const random = createRandom(seed)
  const fragments: string[] = []
  const declarations = new Map<string, string>()
  const variables: Record<string, unknown> = {}
  // Equal response keys must mean equal fields with equal arguments: arguments are drawn once for each key of a type.
  const drawnArguments = new Map<string, string>()

  function writeSelections(type: GraphQLObjectType, depth: number): string {
    const fields = Object.values(type.getFields()).filter(
      (field) => depth < depthMax || !isObjectType(getNamedType(field.type)),
    )
    const parts: string[] = ['__typename']
    for (let count = random.integer(1, 5); count > 0; count--) {
      const field = fields[random.integer(0, fields.length - 1)]
      if (field !== undefined) parts.push(writeSelection(type, field, depth))
    }
    return `{ ${parts.join(' ')} }`
  }

  function writeSelection(
    type: GraphQLObjectType,
    field: GraphQLField<unknown, unknown>,
    depth: number,
  ): string {
    const namedType = getNamedType(field.type)
    // One alias for each field: another field under it would be a conflict.
    const key = random.chance(0.1) ? `${field.name}Again` : field.name
    const alias = key === field.name ? '' : `${key}: `
    const id = `${type.name}.${key}`
    const written = drawnArguments.get(id) ?? writeArguments(field.args)
    drawnArguments.set(id, written)
    const below = isObjectType(namedType) ? writeSelections(namedType, depth + 1) : ''
    const text = `${alias}${field.name}${written}${writeCondition()} ${below}`
    if (random.chance(0.1)) return `...${writeCondition()} { ${text} }`
    if (random.chance(0.1)) return `... on ${type.name}${writeCondition()} { ${text} }`
    if (random.chance(0.1)) {
      const name = `F${fragments.length}`
      fragments.push(`fragment ${name} on ${type.name} { ${text} }`)
      return `...${name}${writeCondition()}`
    }
    return text
  }

  function writeCondition(): string {
    if (!random.chance(0.15)) return ''
    const directive = random.chance(0.5) ? 'skip' : 'include'
    if (random.chance(0.5)) return ` @${directive}(if: ${random.chance(0.5)})`
    const name = random.chance(0.5) ? 'yes' : 'no'
    declarations.set(name, 'Boolean!')
    variables[name] = name === 'yes'
    return ` @${directive}(if: $${name})`
  }

  function writeArguments(definitions: readonly GraphQLArgument[]): string {
    const parts: string[] = []
    for (const { name, type } of definitions) {
      if (!isNonNullType(type) && random.chance(0.5)) continue
      const literal = writeValue(name, type)
      const isPlain = /^-?[0-9]+$|^"[^"\\]*"$/.test(literal)
      if (isPlain && random.chance(0.4)) {
        const variable = `v${declarations.size}`
        declarations.set(variable, String(type))
        variables[variable] = JSON.parse(literal)
        parts.push(`${name}: $${variable}`)
      } else {
        parts.push(`${name}: ${literal}`)
      }
    }
    return parts.length === 0 ? '' : `(${parts.join(' ')})`
  }

  function writeValue(name: string, givenType: GraphQLInputType): string {
    const type = getNullableType(givenType)
    if (isListType(type) && isInputObjectType(getNamedType(type))) return `[${writeValue(name, type.ofType)}]`
    if (isEnumType(type)) return random.pick(type.getValues().map((value) => value.name))
    if (isInputObjectType(type)) {
      const members = Object.values(type.getFields()).filter(
        (member) => isNonNullType(member.type) || random.chance(0.15),
      )
      return `{${members.map((member) => `${member.name}: ${writeValue(member.name, member.type)}`).join(' ')}}`
    }
    const pool = values[name]
    if (pool === undefined) throw new TypeError(`there are no values for ${name}`)
    return random.pick(pool)
  }

  const queryType = schema.getQueryType()
  if (queryType == null) throw new TypeError('the schema has no query type')
  const selections = writeSelections(queryType, 1)
  const declared = [...declarations].map(([name, type]) => `$${name}: ${type}`).join(' ')
  const head = declared === '' ? 'query Random' : `query Random(${declared})`
  return { query: [`${head} ${selections}`, ...fragments].join('\n'), variables }
}
