import { Check } from 'typebox/schema'

/**
 * A schema as `tools/list` announces it, with only the keywords that the interfaces of Anthropic, OpenAI and Google
 * take: several of them refuse the whole list for one tool with another. Values are checked against the schema of the
 * endpoint, which says more.
 */
export interface AnnouncedSchema {
  readonly type: string
  readonly description?: string
  readonly enum?: readonly string[]
  readonly items?: AnnouncedSchema
  readonly properties?: Readonly<Record<string, AnnouncedSchema>>
  readonly required?: readonly string[]
  readonly minimum?: number
  readonly maximum?: number
}

/** The keywords that schemas of endpoints have beside those. */
interface EndpointSchema extends Partial<AnnouncedSchema> {
  readonly anyOf?: readonly EndpointSchema[]
  readonly default?: unknown
  readonly examples?: readonly unknown[]
}

/** The argument that stands for a parameter: `linkedAttestation_in` for `linkedAttestation[in]`. */
export function argumentName(parameter: string): string {
  return parameter.replace(/\[(\w+)\]/g, '_$1')
}

/** @param described replaces the description and the example of the schema. */
export function announce(schema: object, described?: string): AnnouncedSchema {
  const { anyOf, ...own }: EndpointSchema = schema
  // The first alternative is the usual one. An argument that is left out means the same as null.
  const chosen: EndpointSchema = { ...anyOf?.find(({ type }) => type !== 'null'), ...own }
  const { type = 'string', items, properties = {}, required, minimum, maximum } = chosen
  const description = described ?? describe(chosen)
  const members = Object.entries(properties)
  // Some clients refuse or empty objects without named members: such an argument is announced as text.
  if (type === 'object' && members.length === 0) {
    return { type: 'string', description: `${description} Sent as JSON text.` }
  }
  return {
    type,
    description,
    ...(chosen.enum === undefined ? {} : { enum: chosen.enum }),
    ...(items === undefined ? {} : { items: announce(items) }),
    ...(type === 'object'
      ? {
          properties: Object.fromEntries(members.map(([name, member]) => [name, announce(member)])),
          required: required ?? [],
        }
      : {}),
    ...(minimum === undefined ? {} : { minimum }),
    ...(maximum === undefined ? {} : { maximum }),
  }
}

/** Examples and defaults are words, since not every client takes their keywords. */
function describe({ description = '', examples: [example] = [], default: value }: EndpointSchema): string {
  return [
    description,
    example === undefined ? '' : `Example: ${textOf(example)}.`,
    value === undefined ? '' : `Default: ${textOf(value)}.`,
  ]
    .filter((part) => part !== '')
    .join(' ')
}

/** A sent value as its endpoint takes it: JSON text is parsed if the schema has an object or an array. */
export function readArgument(schema: object | undefined, value: unknown): unknown {
  if (schema === undefined || typeof value !== 'string' || !/^\s*[[{]/.test(value) || !takesStructure(schema))
    return value
  try {
    return JSON.parse(value)
  } catch {
    return value
  }
}

function takesStructure({ type, anyOf }: EndpointSchema): boolean {
  return type === 'object' || type === 'array' || (anyOf?.some(takesStructure) ?? false)
}

/** Whether an argument counts as left out. Clients that require every argument send null for optional ones. */
export function isLeftOut(schema: object | undefined, value: unknown): boolean {
  return value === null && schema !== undefined && !Check(schema, null)
}

export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}

/** Descriptions of arguments that the endpoints describe as parts of a URL. */
export const sharedDescriptions: Readonly<Record<string, string>> = {
  field:
    'Only attestations whose decoded payload has such values, as JSON text: {"country": "FR", "level": {"gte": "2"}, ' +
    '"city": {"in": ["Lisbon", "Kyiv"]}}. Operators: in, gt, gte, lt, lte, contains, startsWith; all values are texts. ' +
    'Members of a tuple follow dots (person.name), arrays are looked into, and a backslash stands before a dot, ' +
    'bracket or backslash of a name. schemaId says whose fields they are; equality and in also work without it.',
}

/**
 * Parameters that a tool sets itself, to the first of these values that the parameter of its endpoint can have; none for
 * those that only make sense for a program that waits.
 */
export const fixedParameters: Readonly<Record<string, readonly string[]>> = {
  include: ['decoded,protocol', 'protocol'],
  fields: [],
  wait: [],
}
