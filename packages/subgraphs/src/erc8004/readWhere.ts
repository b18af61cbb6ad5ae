import { BadParameterError } from '@attestry/core/errors/apiErrors.ts'
import {
  isOneOf,
  likeTest,
  spend,
  type Condition,
  type FieldValue,
  type Reading,
} from '../engine/condition.ts'
import {
  createWhereReader,
  patternOfPart,
  readFieldFilter,
  readListFilter,
  type GraphNodeFilter,
} from '../engine/graphNode/readWhere.ts'
import type { GraphNodeKind } from '../engine/graphNode/types.ts'
import type { ArgumentValues } from '@attestry/server/graphql/execution/plan.ts'
import { readListArguments, type ListArguments } from '../engine/graphNode/listArguments.ts'
import { quoteInput } from '@attestry/server/pipeline/quoteInput.ts'
import { fieldsOfEntity, listedEntities, relatedEntities, type AgentEntity } from './models.ts'

/** How rows have what is null: no known text or time is empty. */
export const nullValue = ''

/** The roots that list an entity. */
const rootsOf: Readonly<Partial<Record<AgentEntity, string>>> = {
  Feedback: 'feedbacks',
  FeedbackResponse: 'feedbackResponses',
  Validation: 'validations',
  AgentMetadata: 'agentMetadatas',
}

/** @throws BadParameterError where a value is none of its field, or the condition is too large. */
export const readWhere = createWhereReader<AgentEntity>({ relatedOf, given: (value) => value, readFilter })

/**
 * The arguments of a list.
 * @throws BadParameterError as `readWhere`, and for a page that is none.
 */
export function readList(entity: AgentEntity, values: ArgumentValues): ListArguments {
  const list = readListArguments(values, (where) => readWhere(entity, where), 'skip')
  return { ...list, orderBy: list.orderBy.replace('__', '.') }
}

function relatedOf(entity: AgentEntity, name: string): AgentEntity | undefined {
  const listed = listedEntities[entity]?.[name]
  if (listed === undefined) return relatedEntities[entity]?.[name]
  throw new BadParameterError(
    `where.${name} is not answered; ask for ${rootsOf[listed] ?? listed} instead, whose where takes ` +
      `${entity === 'Agent' ? 'agent_' : 'feedback_'}: {…}.`,
  )
}

function readFilter(reading: Reading, entity: AgentEntity, own: string, filter: GraphNodeFilter): Condition {
  const kind = fieldsOfEntity(entity)[own]?.kind ?? 'text'
  const { name, given } = filter
  if (given === null) return nullFilter(filter, kind)
  if (kind === 'texts') return readListFilter(reading, filter, String, listValue)
  if (kind === 'bool' && own !== 'isRevoked') return nullableBoolFilter(reading, filter)
  const valueOf = (value: unknown) => readValue(kind, name, value)
  return readFieldFilter(reading, filter, false, valueOf, (part, isNocase) => {
    const needle = String(valueOf(given))
    return likeTest(name, needle, patternOfPart(part, needle), kind === 'hex' || isNocase)
  })
}

/** Texts that are not null are greater than the text for null. */
function nullFilter({ name, field, operator }: GraphNodeFilter, kind: GraphNodeKind): Condition {
  if (operator === '') return isOneOf(field, [nullValue])
  if (operator !== 'not') {
    throw new BadParameterError(`where.${name} is null; give it a value, or leave it out.`)
  }
  if (kind === 'bool') return isOneOf(field, [true, false])
  return kind === 'int' || kind === 'decimal'
    ? { kind: 'not', of: isOneOf(field, [nullValue]) }
    : { kind: 'field', field, test: { kind: 'gt', value: nullValue, folds: false } }
}

/** A boolean of a file is null where there is no file: what is not true is false or null. */
function nullableBoolFilter(reading: Reading, filter: GraphNodeFilter): Condition {
  const { field, name, operator, given } = filter
  const values = (operator.endsWith('in') ? (given as readonly unknown[]) : [given]).map((value) =>
    readValue('bool', name, value),
  )
  spend(reading, values.length)
  if (!operator.startsWith('not')) return isOneOf(field, values)
  return isOneOf(
    field,
    [true, false, nullValue].filter((value) => !values.includes(value)),
  )
}

/** A list of texts as one text, in which each stands between separators that none of them holds. */
export function listValue(items: readonly string[]): string {
  return items.length === 0 ? '' : `\0${items.map((item) => item.replaceAll('\0', ' ')).join('\0\0')}\0`
}

/** The value as rows have it. */
function readValue(kind: GraphNodeKind, name: string, value: unknown): FieldValue {
  const bad = (expected: string) =>
    new BadParameterError(`where.${name} is ${quoteInput(JSON.stringify(value))}; give ${expected}.`)
  switch (kind) {
    case 'bool':
      if (typeof value !== 'boolean') throw bad('true or false')
      return value
    case 'int':
    case 'decimal': {
      const printed = String(value)
      if (!/^-?\d{1,80}(\.\d{1,80})?(e[+-]?\d{1,3})?$/i.test(printed))
        throw bad('a number, or a string of digits')
      return Number(printed)
    }
    case 'uint': {
      const printed = String(value)
      if (!/^\d{1,78}$/.test(printed))
        throw bad('a whole number from 0 on, as digits or as a string of digits')
      return sortableUint(printed)
    }
    case 'hex':
      return String(value).toLowerCase()
    default:
      return String(value)
  }
}

/** Digits of a uint256 in a form whose order as text is that of the numbers. */
export function sortableUint(digits: string): string {
  return digits.padStart(78, '0')
}
