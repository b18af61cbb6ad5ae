import type { ChainId, LocalId } from '@attestry/core/model/compositeId.ts'
import type { FieldCondition } from '@attestry/core/model/fieldCondition.ts'
import {
  contentIdName,
  fieldPathText,
  matchesField,
  parseFieldPath,
  type FieldKind,
} from '@attestry/core/model/fieldValues.ts'
import type { SchemaField } from '@attestry/core/model/records.ts'
import type { StoredKey } from '@attestry/core/index/storedRecords.ts'
import { fieldKindOf, fieldPathKey, fieldValueKey } from '../layout/fieldKey.ts'
import { fieldState } from '../layout/fieldState.ts'
import type { Reads, SqlValue } from '../port/reads.ts'

/** A condition on a field with the lists of the values that fulfil it. */
export interface ResolvedField {
  readonly condition: FieldCondition
  /** Null if no index answers: the payloads of rows must be looked at. */
  readonly lists: readonly FieldList[] | null
  /** Whether no attestation can be in two of the lists. */
  readonly isDisjoint: boolean
}

/** The attestations with one value of a field of one schema. */
export interface FieldList {
  readonly valueId: number
  readonly count: number
  readonly schemaId: number
  readonly chainId: ChainId
}

/** A path that payloads of a schema have, with the kind of its values. */
interface FieldRow {
  readonly id: number
  readonly kind: FieldKind
  readonly valueCount: number
  readonly schemaId: number
  readonly chainId: ChainId
  readonly payloadFieldsJson: string
}

/** Most lists of one condition. Each is an arm of a walk, and SQLite merges at most 500. */
const listsMax = 400

/** Most lists that share attestations: each entry is looked up in all lists before its own. */
const overlappingMax = 32

/** Most distinct values that are read to find those within a range, or those that contain a text. */
const distinctMax = 1_000

/**
 * Most schemas without an index that are read to find those with a field, and most whose attestations are read apart.
 */
const unindexedMax = 400
const unindexedPartsMax = 16

/** Most values that are looked up for one condition. */
const lookupsMax = 4_000

/** The condition without lists, for rows that no index answers for. */
export function withoutLists(condition: FieldCondition): ResolvedField {
  return { condition, lists: null, isDisjoint: false }
}

/** A schema whose fields are not indexed, or not yet. */
export interface UnindexedSchema {
  readonly id: number
  readonly key: StoredKey
}

/**
 * The schemas whose attestations may fulfil the conditions and whose fields are not indexed; null if they are too
 * many to be looked through one by one.
 */
export async function findUnindexed(
  reads: Reads,
  conditions: readonly FieldCondition[],
  chainId: ChainId | null,
): Promise<readonly UnindexedSchema[] | null> {
  const rows = await reads.all<[number, ChainId, string, string, string]>(
    'SELECT id, chain_id, local_id, protocol, coalesce(payload_fields_json, fields_json) FROM schema ' +
      `WHERE ${reads.dialect.flag('registered', true)} AND field_state <> ${fieldState.complete} ` +
      `AND attestation_count > 0${chainId === null ? '' : ' AND chain_id = ?'} LIMIT ${unindexedMax + 1}`,
    ...(chainId === null ? [] : [chainId]),
  )
  if (rows.length > unindexedMax) return null
  const found = rows.filter(([, , , , payloadFieldsJson]) => {
    const fields = JSON.parse(payloadFieldsJson) as SchemaField[]
    return conditions.every((condition) => partsOf(condition).some(({ path }) => mayHave(fields, path)))
  })
  if (found.length > unindexedPartsMax) return null
  return found.map(([id, chain, localId, protocol]) => ({
    id,
    key: { chainId: chain, localId: `0x${localId}` as LocalId, protocol },
  }))
}

/** Whether a path begins with a field of the schema, or is the one of payloads that are stored elsewhere. */
function mayHave(fields: readonly SchemaField[], path: readonly string[]): boolean {
  return fieldPathText(path) === contentIdName || fields.some(({ name }) => name === path[0])
}

/**
 * Finds the lists of a condition under a schema whose fields are indexed, on one chain or on all.
 * @param schemaId null: all such schemas count.
 */
export async function resolveField(
  reads: Reads,
  condition: FieldCondition,
  schemaId: number | null,
  chainId: ChainId | null,
): Promise<ResolvedField> {
  const all = new Map<number, FieldList>()
  let isDisjoint = true
  const [own, ...leading] = partsOf(condition)
  for (const part of [own, ...leading]) {
    const found = await findFields(reads, part.path, schemaId, chainId)
    // Only a text leads to content.
    const fields = part === own ? found : found.filter(({ kind }) => kind === 'text')
    const isLookup = part.operator === 'equals' || part.operator === 'in'
    const lists = isLookup ? await findValues(reads, part, fields) : await filterValues(reads, part, fields)
    if (lists === null || all.size + lists.length > listsMax) return withoutLists(condition)
    isDisjoint &&= areDisjoint(lists, fields, part.path) && areApart(all, lists, fields, part.path)
    for (const list of lists) all.set(list.valueId, list)
  }
  if (!isDisjoint && all.size > overlappingMax) return withoutLists(condition)
  return { condition, lists: [...all.values()], isDisjoint }
}

/** Splits a condition into conditions on values of payloads: a text that leads to content is a value of its own. */
function partsOf(condition: FieldCondition): readonly [FieldCondition, ...FieldCondition[]] {
  const { contents, ...own } = condition
  const paths = [...(contents?.paths ?? [])]
  return [
    own,
    ...paths.map(([pathText, texts]): FieldCondition => {
      return { path: parseFieldPath(pathText) ?? [], operator: 'in', values: [...texts.keys()] }
    }),
  ]
}

/**
 * Whether no attestation is both in lists of other paths and in these: a payload that is stored elsewhere has no value
 * but its `contentId`.
 */
function areApart(
  others: ReadonlyMap<number, FieldList>,
  lists: readonly FieldList[],
  fields: readonly FieldRow[],
  path: readonly string[],
): boolean {
  const schemas = new Set([...others.values()].map(({ schemaId }) => schemaId))
  const shared = new Set(lists.map(({ schemaId }) => schemaId).filter((id) => schemas.has(id)))
  return (
    shared.size === 0 ||
    (fieldPathText(path) === contentIdName &&
      lists.every(({ valueId }) => !others.has(valueId)) &&
      fields.every((field) => !shared.has(field.schemaId) || isUndeclared(field, contentIdName)))
  )
}

function isUndeclared({ payloadFieldsJson }: FieldRow, declared: string): boolean {
  const fields = JSON.parse(payloadFieldsJson) as readonly SchemaField[]
  return fields.every(({ name }) => name !== declared)
}

async function findFields(
  reads: Reads,
  path: readonly string[],
  schemaId: number | null,
  chainId: ChainId | null,
): Promise<readonly FieldRow[]> {
  const rows = await reads.all<[number, number, number, number, number, string]>(
    'SELECT f.id, f.kind, f.value_count, f.schema_id, s.chain_id, coalesce(s.payload_fields_json, s.fields_json) ' +
      'FROM field f JOIN schema s ON s.id = f.schema_id ' +
      `WHERE f.path_key = ? AND s.field_state = ${fieldState.complete}` +
      `${schemaId === null ? '' : ' AND f.schema_id = ?'}${chainId === null ? '' : ' AND s.chain_id = ?'} ` +
      `LIMIT ${lookupsMax + 1}`,
    fieldPathKey(fieldPathText(path)),
    ...[schemaId, chainId].filter((id) => id !== null),
  )
  return rows.map(([id, kind, valueCount, ownerId, chain, payloadFieldsJson]) => ({
    id,
    kind: fieldKindOf(kind),
    valueCount,
    schemaId: ownerId,
    chainId: chain,
    payloadFieldsJson,
  }))
}

/** The lists of values that are named; null if too many would have to be looked up. */
async function findValues(
  reads: Reads,
  { values }: FieldCondition,
  fields: readonly FieldRow[],
): Promise<readonly FieldList[] | null> {
  if (fields.length * values.length > lookupsMax) return null
  const keys = fields.flatMap((field) => uniqueKeys(field.kind, values).map((key) => ({ field, key })))
  const rows = await reads.firstOf<[id: number, count: number]>(
    'SELECT v.id, v.count FROM field_value v WHERE v.field_id = k.field_id AND v.value_key = k.value_key',
    {
      field_id: { type: 'int53', values: keys.map(({ field }) => field.id) },
      value_key: { type: 'bytes', values: keys.map(({ key }) => key) },
    },
  )
  return keys.flatMap(({ field: { schemaId, chainId } }, index) => {
    const row = rows[index]
    return row === undefined ? [] : [{ valueId: row[0], count: row[1], schemaId, chainId }]
  })
}

/** The keys of those texts that are values of the kind; texts of one value have one key. */
function uniqueKeys(kind: FieldKind, values: readonly string[]): Uint8Array[] {
  const keys = new Map<string, Uint8Array>()
  for (const value of values) {
    const key = fieldValueKey(kind, value)
    if (key !== null) keys.set(key.toString('hex'), key)
  }
  return [...keys.values()]
}

/** The lists of all values that fulfil a condition; null if a field has too many values to be read. */
async function filterValues(
  reads: Reads,
  condition: FieldCondition,
  fields: readonly FieldRow[],
): Promise<readonly FieldList[] | null> {
  if (fields.reduce((sum, { valueCount }) => sum + valueCount, 0) > distinctMax) return null
  const { path } = condition
  const lists = await Promise.all(
    fields.map(async ({ id, kind, schemaId, chainId }) => {
      const rows = await reads.all<[number, number, SqlValue]>(
        'SELECT id, count, value FROM field_value WHERE field_id = ?',
        id,
      )
      return rows
        .filter(([, , text]) =>
          matchesField([{ path, kind, value: reads.dialect.decodeText(text) }], condition),
        )
        .map(([valueId, count]) => ({ valueId, count, schemaId, chainId }))
    }),
  )
  return lists.flat()
}

/**
 * An attestation is in several lists only if its schema has several of them and the path leads into an array
 * or to two fields of one name.
 */
function areDisjoint(
  lists: readonly FieldList[],
  fields: readonly FieldRow[],
  path: readonly string[],
): boolean {
  const schemas = new Set(lists.map(({ schemaId }) => schemaId))
  if (schemas.size === lists.length) return true
  return fields.every(
    ({ schemaId, payloadFieldsJson }) =>
      !schemas.has(schemaId) || isSingle(JSON.parse(payloadFieldsJson) as SchemaField[], path),
  )
}

/** Whether each payload has at most one value at a path, as the types of the fields say. */
function isSingle(fields: readonly SchemaField[], [first, ...members]: readonly string[]): boolean {
  const named = fields.filter(({ name }) => name === first)
  // No field has that name: the value is the one of payloads that are stored elsewhere.
  if (named.length === 0) return true
  return members.length === 0 && named.length === 1 && named.every(({ type }) => !type.includes('['))
}
