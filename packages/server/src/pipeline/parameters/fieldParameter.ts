import { Type } from 'typebox'
import { BadParameterError } from '@attestry/core/errors/apiErrors.ts'
import type { FieldCondition, FieldOperator } from '@attestry/core/model/fieldCondition.ts'
import { fieldPathText, parseFieldPath } from '@attestry/core/model/fieldValues.ts'
import { quoteInput } from '../quoteInput.ts'
import type { Parameter, SentParameter } from './parameter.ts'

/** Most conditions on fields in one filter, and most values of one `in`. */
const conditionsMax = 20
const listedMax = 100

type NamedOperator = Exclude<FieldOperator, 'equals'>

/** The operators that a parameter names; equality has no name. */
export const namedOperators: readonly NamedOperator[] = [
  'in',
  'gt',
  'gte',
  'lt',
  'lte',
  'contains',
  'startsWith',
]

const forms = 'write field[name]=value or field[name][operator]=value'
const example = '["Lisbon","Kyiv"]'

const operand = (description: string) => Type.Optional(Type.String({ description }))

/** Conditions on decoded fields (docs/api.md, "Filters on decoded fields"); null if a request has none. */
export const fieldParameter: Parameter<readonly FieldCondition[] | null> = {
  name: 'field',
  in: 'query',
  schema: Type.Record(
    Type.String(),
    Type.Union([
      Type.String({ description: 'Equals this value.' }),
      Type.Object(
        {
          in: Type.Optional(
            Type.Array(Type.String(), {
              description: 'Equals one of these values; sent as a JSON array.',
              minItems: 1,
              maxItems: listedMax,
            }),
          ),
          gt: operand('An integer greater than this one.'),
          gte: operand('An integer not less than this one.'),
          lt: operand('An integer less than this one.'),
          lte: operand('An integer not greater than this one.'),
          contains: operand('A string that contains this text.'),
          startsWith: operand('A string that begins with this text.'),
        },
        { additionalProperties: false },
      ),
    ]),
    {
      maxProperties: conditionsMax,
      description:
        'Only attestations whose decoded payload has such a value: `field[country]=FR`, `field[level][gte]=2`, ' +
        '`field[city][in]=["Lisbon","Kyiv"]`. Members of a tuple follow dots (`person.name`), arrays are looked into, and a ' +
        'backslash stands before a dot, bracket or backslash of a name. `schemaId` says whose fields they are; ' +
        'equality and `in` also work without it.',
    },
  ),
  absent: { value: null },
  read: (text) => {
    throw new BadParameterError(
      `field must name a field in brackets; ${forms}; it was field=${quoteInput(text)}.`,
    )
  },
  readAll: readConditions,
}

/** @throws BadParameterError for a condition that cannot be read, or that stands twice. */
function readConditions(sent: readonly SentParameter[]): readonly FieldCondition[] {
  const known = new Set<string>()
  const conditions = sent.map(({ name, text }) => {
    const { path, operator } = parseName(name)
    const label = labelOf(path, operator)
    if (known.has(label))
      throw new BadParameterError(`${label} is given more than once; give it at most once.`)
    known.add(label)
    const values = operator === 'in' ? readListed(label, parseJson(text), quoteInput(text)) : [text]
    return { path, operator, values }
  })
  checkConditionCount(conditions)
  return conditions
}

/** @throws BadParameterError for too many conditions. */
export function checkConditionCount({ length }: readonly FieldCondition[]): void {
  if (length > conditionsMax) {
    throw new BadParameterError(`field takes at most ${conditionsMax} conditions; there were ${length}.`)
  }
}

/**
 * The values of an `in`, each once.
 * @param label names the place in an error.
 * @param shown what stood there, in a form that a message may repeat.
 * @throws BadParameterError for anything but an array of 1 to 100 texts.
 */
export function readListed(label: string, listed: unknown, shown: string): readonly string[] {
  if (!Array.isArray(listed)) {
    throw new BadParameterError(
      `${label} must be a JSON array of 1 to ${listedMax} texts such as ${example}; it was ${shown}.`,
    )
  }
  if (listed.length === 0 || listed.length > listedMax) {
    throw new BadParameterError(`${label} must have 1 to ${listedMax} texts; it had ${listed.length}.`)
  }
  const values: readonly unknown[] = listed
  const wrong = values.findIndex((value) => typeof value !== 'string')
  if (wrong !== -1) {
    const found = quoteInput(JSON.stringify(values[wrong]))
    throw new BadParameterError(`${label}[${wrong}] must be a text in quotation marks; it was ${found}.`)
  }
  return [...new Set(values as readonly string[])]
}

/** The path and the operator in `field[path]` or `field[path][operator]`. */
function parseName(name: string): Pick<FieldCondition, 'path' | 'operator'> {
  const start = 'field['.length
  const end = start + (/^(?:[^[\]\\]|\\[.[\]\\])*/.exec(name.slice(start))?.[0].length ?? 0)
  const path = parseFieldPath(name.slice(start, end))
  if (name[end] !== ']' || path === null) throw malformedName(name, end)
  const rest = name.slice(end + 1)
  if (rest === '') return { path, operator: 'equals' }
  const named = /^\[([^[\]]*)\]$/.exec(rest)?.[1]
  if (named === undefined) throw malformedName(name, end + 1)
  const operator = namedOperators.find((each) => each === named)
  if (operator === undefined) {
    throw new BadParameterError(
      `${labelOf(path, 'equals')} has no operator ${quoteInput(named)}; use ${namedOperators.join(', ')}, or none for equality.`,
    )
  }
  return { path, operator }
}

function malformedName(name: string, at: number): BadParameterError {
  return new BadParameterError(
    `field cannot be read at character ${at + 1} of ${quoteInput(name)}; ${forms}, with a backslash before each ` +
      'bracket and backslash of the name itself.',
  )
}

/** A condition as its parameter names it, in a form that a message may repeat. */
export function labelOf(path: readonly string[], operator: FieldOperator): string {
  const name = quoteInput(fieldPathText(path)).slice(1, -1)
  return `field[${name}]${operator === 'equals' ? '' : `[${operator}]`}`
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
