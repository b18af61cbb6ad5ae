import { parseFields } from '@attestry/core/model/recordJson.ts'
import { BadParameterError } from '@attestry/core/errors/apiErrors.ts'
import { formatCompositeId } from '@attestry/core/model/compositeId.ts'
import { createContentTexts } from '@attestry/core/model/contentTexts.ts'
import type { FieldCondition, FieldOperator } from '@attestry/core/model/fieldCondition.ts'
import {
  canonicalValue,
  contentIdName,
  fieldPathText,
  type FieldKind,
  type FieldPath,
  type ListFieldPaths,
} from '@attestry/core/model/fieldValues.ts'
import { contentPointersMax, type ContentReads } from '@attestry/core/model/contentReads.ts'
import type { ContentState } from '@attestry/core/model/knownContent.ts'
import type { AttestationFilter } from '@attestry/core/index/indexQueries.ts'
import type { PastReader } from '@attestry/core/index/indexReader.ts'
import { quoteInput } from '../quoteInput.ts'
import { labelOf } from './fieldParameter.ts'

/**
 * Compares the conditions of a filter with the fields of its schema, and adds the content that fulfils them. A schema
 * that is not indexed is not compared: the filter passes nothing. A condition without values gets the content that has
 * the field, with the values.
 * @throws BadParameterError for a field that the schema does not have, an operator or a value that does not fit its
 * type, and more content than one answer looks through. Without a schema only equality and `in` pass.
 */
export type CheckFields = <Filter extends CheckedFilter | null>(filter: Filter) => Promise<Filter>

type CheckedFilter = Pick<AttestationFilter, 'schema' | 'protocol' | 'fields'>

/** @param content null: conditions see only payloads. */
export function createFieldCheck(
  reader: Pick<PastReader, 'findSchema'>,
  listFieldPaths: ListFieldPaths,
  content: ContentReads | null,
): CheckFields {
  const listPaths = async ({
    schema: key,
    protocol,
  }: CheckedFilter): Promise<readonly FieldPath[] | null> => {
    const schema = key && (await reader.findSchema({ ...key, protocol: key.protocol ?? protocol }))
    // The text is JSON of fields, which our own store made.
    return schema && listFieldPaths(parseFields(schema.payloadFieldsJson))
  }
  return async (filter) => {
    if (filter === null || filter.fields.length === 0) return filter
    const { schema, fields } = filter
    const paths = await listPaths(filter)
    const schemaId = schema && formatCompositeId(schema)
    if (schemaId !== null && paths === null) return filter
    const checked: FieldCondition[] = []
    for (const condition of fields) {
      if (condition.contentState !== undefined) {
        checked.push(await findInState(content, condition.contentState, schemaId))
        continue
      }
      const isOfContent = await isPathOfContent(content, condition, schemaId, paths)
      if (paths === null) checkWithoutSchema(condition)
      else if (!isOfContent) checkCondition(condition, paths)
      const own = isOfContent ? null : paths
      checked.push(content === null ? condition : await withContents(content, condition, schemaId, own))
    }
    return { ...filter, fields: checked }
  }
}

/** Whether only content has a path: a schema of EAS does not describe the content that its CIDs name. */
async function isPathOfContent(
  content: ContentReads | null,
  { path }: FieldCondition,
  schemaId: string | null,
  paths: readonly FieldPath[] | null,
): Promise<boolean> {
  const text = fieldPathText(path)
  if (content === null || schemaId === null || paths === null) return false
  return paths.every((each) => fieldPathText(each.path) !== text) && (await content.hasPath(schemaId, path))
}

async function withContents(
  content: ContentReads,
  condition: FieldCondition,
  schemaId: string | null,
  paths: readonly FieldPath[] | null,
): Promise<FieldCondition> {
  const { path, operator, values } = condition
  const text = fieldPathText(path)
  const fields = paths?.filter((each) => fieldPathText(each.path) === text) ?? null
  const pointers =
    values.length > 0
      ? await content.findFulfilling(condition, schemaId, fields)
      : schemaId === null
        ? []
        : await content.findValues(schemaId, path, fields)
  if (pointers === null) throw tooManyContents(labelOf(path, operator), schemaId)
  return pointers.length === 0 ? condition : { ...condition, contents: createContentTexts(pointers) }
}

async function findInState(
  content: ContentReads | null,
  state: ContentState,
  schemaId: string | null,
): Promise<FieldCondition> {
  if (content === null) {
    throw new BadParameterError('content is a filter of servers that fetch content; this one fetches none.')
  }
  const pointers = await content.findInState(state, schemaId)
  if (pointers === null) throw tooManyContents('content', schemaId)
  // Without values, nothing but what leads to these contents passes.
  return { path: [contentIdName], operator: 'in', values: [], contents: createContentTexts(pointers) }
}

function tooManyContents(label: string, schemaId: string | null): BadParameterError {
  return new BadParameterError(
    `${label} has to look through more than ${contentPointersMax} contents; ` +
      (schemaId === null ? 'narrow it by schemaId.' : 'ask for the rows without it, with include=content.'),
  )
}

function checkWithoutSchema({ path, operator }: FieldCondition): void {
  if (operator !== 'equals' && operator !== 'in') {
    throw new BadParameterError(
      `${labelOf(path, operator)} needs schemaId, which says what type the field has; add it.`,
    )
  }
  if (path.length === 1 && path[0] === '') {
    throw new BadParameterError(
      'field[] names no field; give a name, or a schemaId that has a field without a name.',
    )
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
    throw new BadParameterError(`${label} does not fit: ${type}, which has ${operators.join(', ')}.`)
  }
  const wrong = values.find((value) => fitting.every(({ kind }) => canonicalValue(kind, value) === null))
  if (wrong !== undefined) {
    throw new BadParameterError(
      `${label} must be ${shapeOf[known.kind]}, since ${type}; it was ${quoteInput(wrong)}.`,
    )
  }
}

function unknownField(path: readonly string[], paths: readonly FieldPath[]): BadParameterError {
  const names = [...new Set(paths.map((each) => quoteInput(fieldPathText(each.path))))]
  const further = names.length - listedFieldsMax
  const listed = names.slice(0, listedFieldsMax).join(', ') + (further > 0 ? ` and ${further} more` : '')
  const has = names.length === 0 ? 'which has no fields that can be decoded' : `which has ${listed}`
  return new BadParameterError(`${labelOf(path, 'equals')} is no field of the schema, ${has}.`)
}
