import type { BadParameterError } from '../../errors/apiErrors.ts'
import type { FieldCondition, FieldOperator } from '../../model/fieldCondition.ts'
import {
  canonicalValue,
  fieldPathText,
  type FieldKind,
  type FieldPath,
  type ListFieldPaths,
} from '../../model/fieldValues.ts'
import type { SchemaField } from '../../model/records.ts'
import type { AttestationFilter } from '../../store/indexQueries.ts'
import type { IndexReader } from '../../store/indexReader.ts'
import { quoteInput } from '../quoteInput.ts'
import { fieldError, labelOf } from './fieldParameter.ts'

/**
 * Compares the conditions of a filter with the fields of its schema. A schema that is not indexed is not compared: the
 * filter passes nothing.
 * @throws BadParameterError for a field that the schema does not have, an operator that the field's type cannot have, a
 * value that is none of the type, and without a schema for every operator but equality and `in`.
 */
export type CheckFields = (
  filter: Pick<AttestationFilter, 'schema' | 'protocol' | 'fields'> | null,
) => Promise<void>

export function createFieldCheck(
  reader: Pick<IndexReader, 'findSchema'>,
  listFieldPaths: ListFieldPaths,
): CheckFields {
  return async (filter) => {
    if (filter === null || filter.fields.length === 0) return
    const { schema: key, protocol, fields } = filter
    if (key === null) {
      for (const condition of fields) checkWithoutSchema(condition)
      return
    }
    const schema = await reader.findSchema({ ...key, protocol: key.protocol ?? protocol })
    if (schema === null) return
    // The text is JSON of fields, which our own store made.
    const paths = listFieldPaths(JSON.parse(schema.payloadFieldsJson) as readonly SchemaField[])
    for (const condition of fields) checkCondition(condition, paths)
  }
}

function checkWithoutSchema({ path, operator }: FieldCondition): void {
  if (operator !== 'equals' && operator !== 'in') {
    throw fieldError(`${labelOf(path, operator)} needs schemaId, which says what type the field has; add it.`)
  }
  if (path.length === 1 && path[0] === '') {
    throw fieldError('field[] names no field; give a name, or a schemaId that has a field without a name.')
  }
}

/** Most fields that a message lists. */
const listedFieldsMax = 50

const operatorsOf: Readonly<Record<FieldKind, readonly FieldOperator[]>> = {
  integer: ['equals', 'in', 'gt', 'gte', 'lt', 'lte'],
  boolean: ['equals', 'in'],
  text: ['equals', 'in', 'contains', 'startsWith'],
  bytes: ['equals', 'in'],
}

const shapeOf: Readonly<Record<FieldKind, string>> = {
  integer: 'a whole number in decimal digits',
  boolean: 'true or false',
  text: 'a text',
  bytes: '0x followed by pairs of hexadecimal digits',
}

/** A schema may give several fields one name: the condition must fit one of them. */
function checkCondition({ path, operator, values }: FieldCondition, paths: readonly FieldPath[]): void {
  const text = fieldPathText(path)
  const named = paths.filter((each) => fieldPathText(each.path) === text)
  const [first] = named
  if (first === undefined) throw unknownField(path, paths)
  const label = labelOf(path, operator)
  const type = `the type of the field is ${quoteInput(first.type)}`
  const fitting = named.filter(({ kind }) => operatorsOf[kind].includes(operator))
  const [known] = fitting
  if (known === undefined) {
    const operators = operatorsOf[first.kind].map((each) => (each === 'equals' ? 'equality' : each))
    throw fieldError(`${label} does not fit: ${type}, which has ${operators.join(', ')}.`)
  }
  const wrong = values.find((value) => fitting.every(({ kind }) => canonicalValue(kind, value) === null))
  if (wrong !== undefined) {
    throw fieldError(`${label} must be ${shapeOf[known.kind]}, since ${type}; it was ${quoteInput(wrong)}.`)
  }
}

function unknownField(path: readonly string[], paths: readonly FieldPath[]): BadParameterError {
  const names = [...new Set(paths.map((each) => quoteInput(fieldPathText(each.path))))]
  const further = names.length - listedFieldsMax
  const listed = names.slice(0, listedFieldsMax).join(', ') + (further > 0 ? ` and ${further} more` : '')
  const has = names.length === 0 ? 'which has no fields that can be decoded' : `which has ${listed}`
  return fieldError(`${labelOf(path, 'equals')} is no field of the schema, ${has}.`)
}
