import { visitFieldLeaves, type FieldLeaf } from '@attestry/core/model/fieldValues.ts'
import type { SchemaField } from '@attestry/core/model/records.ts'
import type { Changes } from '../layout/changes.ts'
import type { ChainRow, FieldedAttestation, FieldEntry, FieldSource, SchemaEntry } from '../layout/entries.ts'
import { fieldKindNumber, fieldPathKey, fieldValueKey } from '../layout/fieldKey.ts'
import { fieldState } from '../layout/fieldState.ts'
import { columnsOf, type RowOf } from '../layout/tables.ts'
import { keyColumns } from '../port/anyTables.ts'
import type { WriterState } from './writerState.ts'

/**
 * Writes the fields of attestations that came (`changes.sign` 1), or deletes those of attestations that went, with a
 * few calls a table. Notes in `changes` how the lists of their values moved. `covers` says which attestations are in
 * the index, or will be, while the index of their schema is being built.
 */
export async function writeFields(
  state: WriterState,
  changes: Changes,
  attestations: readonly FieldedAttestation[],
  covers: (source: FieldSource, attestation: FieldedAttestation) => boolean = isBuilt,
): Promise<void> {
  const indexed = attestations.filter(({ schema }) => isIndexed(schema))
  if (indexed.length === 0) return
  await loadFieldSources(
    state,
    indexed.map(({ schema }) => schema),
  )
  const touched = new Set<FieldEntry>()
  for (const attestation of indexed) {
    const source = attestation.schema.fieldSource
    if (source === null || !covers(source, attestation)) continue
    const { protocol, data, dataLocation } = attestation
    const payload = state.indexing.decodePayload({ protocol, fields: source.fields, data, dataLocation })
    if (payload.kind === 'undecodable') continue
    visitFieldLeaves(payload.values, (leaf, pathText) => {
      touched.add(moveLeaf(source, attestation, leaf, pathText))
    })
  }
  const fields = [...touched]
  await loadFields(state, changes.chain, fields)
  await writeValues(state, changes, fields)
  await writeFieldRows(state, fields)
}

function isIndexed({ fieldState: state }: SchemaEntry): boolean {
  return state === fieldState.complete || state === fieldState.building
}

/** Whether the part of the index that is built, or that live writing keeps, covers an attestation. */
function isBuilt({ build }: FieldSource, { id, timestamp }: FieldedAttestation): boolean {
  if (build === null || id > build.until_id) return true
  return timestamp === build.done_timestamp ? id <= build.done_id : timestamp < build.done_timestamp
}

/** Notes that an attestation has a value, once however often its payload repeats it. */
function moveLeaf(
  { paths }: FieldSource,
  attestation: FieldedAttestation,
  { kind, value }: FieldLeaf,
  pathText: string,
): FieldEntry {
  const known = (paths[kind] ??= new Map())
  let field = known.get(pathText)
  if (field === undefined) {
    const schemaId = attestation.schema.id
    field = { schemaId, pathText, kind, id: null, isNew: false, valueCount: 0, moves: new Map() }
    known.set(pathText, field)
  }
  const move = field.moves.get(value)
  if (move === undefined) field.moves.set(value, [attestation])
  else if (move.at(-1) !== attestation) move.push(attestation)
  return field
}

/** Reads the fields by which payloads of these schemas are decoded, if the writer does not know them. */
export async function loadFieldSources(
  { tables }: WriterState,
  schemas: Iterable<SchemaEntry>,
): Promise<void> {
  const missing = new Map<number, SchemaEntry>()
  for (const schema of schemas) if (schema.fieldSource === null) missing.set(schema.id, schema)
  if (missing.size === 0) return
  const building = [...missing.values()].filter((schema) => schema.fieldState === fieldState.building)
  const builds = await tables.findBy(
    'field_build',
    columnsOf('field_build'),
    'schema_id',
    building.map(({ id }) => id),
  )
  const buildOf = new Map(builds.map((row) => [row.schema_id, row]))
  const columns = ['id', 'fields_json', 'payload_fields_json'] as const
  for (const row of await tables.findBy('schema', columns, 'id', [...missing.keys()])) {
    const schema = missing.get(row.id)
    const fieldsJson = row.payload_fields_json ?? row.fields_json
    if (schema === undefined || fieldsJson === null) continue
    const fields = JSON.parse(fieldsJson) as readonly SchemaField[]
    schema.fieldSource = { fields, build: buildOf.get(row.id) ?? null, paths: {} }
  }
}

/** Looks up the rows of paths that the writer has just met; paths without a row get an id. */
async function loadFields(
  { tables }: WriterState,
  chain: ChainRow,
  fields: readonly FieldEntry[],
): Promise<void> {
  const missing = fields.filter(({ id }) => id === null)
  const rows = await tables.firstOf<[id: number, valueCount: number]>(
    'SELECT f.id, f.value_count FROM field f WHERE f.schema_id = k.schema_id AND f.path_key = k.path_key AND f.kind = k.kind',
    keyColumns('field', fieldKey, missing.map(keyOf)),
  )
  for (const [index, field] of missing.entries()) {
    const [id, valueCount] = rows[index] ?? []
    field.isNew = id === undefined
    field.id = id ?? chain.nextFieldId++
    field.valueCount = valueCount ?? 0
  }
}

const fieldKey = ['schema_id', 'path_key', 'kind'] as const

function keyOf({ schemaId, pathText, kind }: FieldEntry): Pick<RowOf<'field'>, (typeof fieldKey)[number]> {
  return { schema_id: schemaId, path_key: fieldPathKey(pathText), kind: fieldKindNumber[kind] }
}

/** Moves the counts of values, and writes or deletes their postings. */
async function writeValues(
  { tables }: WriterState,
  changes: Changes,
  fields: readonly FieldEntry[],
): Promise<void> {
  const { sign, chain } = changes
  const moves: { readonly field: FieldEntry; readonly attestations: readonly FieldedAttestation[] }[] = []
  const rows: RowOf<'field_value'>[] = []
  for (const field of fields) {
    for (const [value, attestations] of field.moves) {
      const key = fieldValueKey(field.kind, value)
      if (key === null || field.id === null) throw new Error(`a decoder gave no ${field.kind}: ${value}`)
      const count = sign * attestations.length
      // The id is lost if the value has a row: only the statement that counts the value knows.
      rows.push({ field_id: field.id, value_key: key, id: chain.nextFieldId++, value, count })
      moves.push({ field, attestations })
    }
    field.moves.clear()
  }
  const counted = await tables.addValues(rows)
  const postings: RowOf<'field_posting'>[] = []
  for (const [index, { field, attestations }] of moves.entries()) {
    const { id: valueId, count } = counted[index] ?? { id: 0, count: 0 }
    const before = count - sign * attestations.length
    if ((sign > 0 ? before : count) === 0) field.valueCount += sign
    changes.fieldValues.push({ valueId, before, attestations })
    for (const { timestamp, id } of attestations) {
      postings.push({ value_id: valueId, attest_timestamp: timestamp, id })
    }
  }
  await (sign > 0
    ? tables.append('field_posting', postings)
    : tables.remove('field_posting', ['value_id', 'attest_timestamp', 'id'], postings))
}

async function writeFieldRows({ tables }: WriterState, fields: readonly FieldEntry[]): Promise<void> {
  const rows = fields.map((field) => ({
    isNew: field.isNew,
    row: { ...keyOf(field), id: field.id ?? 0, path: field.pathText, value_count: field.valueCount },
  }))
  const kept = rows.filter(({ row }) => row.value_count > 0)
  await tables.append(
    'field',
    kept.filter(({ isNew }) => isNew).map(({ row }) => row),
  )
  await tables.update(
    'field',
    ['path', 'value_count'],
    kept.filter(({ isNew }) => !isNew).map(({ row }) => row),
  )
  await tables.remove(
    'field',
    fieldKey,
    rows.filter(({ row }) => row.value_count === 0).map(({ row }) => row),
  )
  for (const field of fields) field.isNew = false
}
