import { createHash } from 'node:crypto'
import type { DecodePayload, NamedPayloadValue, PayloadValue } from '@attestry/core/model/decodedPayload.ts'
import type { Hex } from '@attestry/core/model/hex.ts'
import type { DataLocation, SchemaField } from '@attestry/core/model/records.ts'
import type { Reads, SqlValue } from '../port/reads.ts'

/**
 * Decodes every stored payload that the index of fields covers: all of a schema, or those that a build has reached.
 * Returns where the tables of that index differ, and the schemas that contradict `field_build`. Leftovers of an index
 * that is being dropped are passed over. Shares only the decoder with the writer.
 */
export async function findFieldMiscounts(reads: Reads, decodePayload: DecodePayload): Promise<string[]> {
  const builds = await reads.all<[number | null, number | null, number | null]>(
    `SELECT s.id, s.field_state, b.schema_id FROM schema s FULL JOIN field_build b ON b.schema_id = s.id ` +
      `WHERE s.id IS NULL OR (s.field_state = 1) <> (b.schema_id IS NOT NULL) ` +
      `OR (s.field_state <> 0 AND NOT (${reads.dialect.flag('s.registered', true)}))`,
  )
  const expected = new Set<string>()
  const counts = new Map<string, Set<string>>()
  const rows = await reads.all<[number, string, string, string, string, Uint8Array, number]>(
    'SELECT s.id, coalesce(s.payload_fields_json, s.fields_json), CAST(a.id AS text), a.protocol, a.data_location, a.data, a.attest_timestamp ' +
      'FROM attestation a JOIN schema s ON s.id = a.schema_id LEFT JOIN field_build b ON b.schema_id = s.id ' +
      `WHERE ${reads.dialect.flag('s.registered', true)} AND (s.field_state = 2 OR (s.field_state = 1 AND ` +
      '(a.id > b.until_id OR (a.attest_timestamp, a.id) <= (b.done_timestamp, b.done_id))))',
  )
  for (const [schemaId, fieldsJson, id, protocol, dataLocation, bytes, timestamp] of rows) {
    const payload = decodePayload({
      protocol,
      fields: JSON.parse(fieldsJson) as SchemaField[],
      data: `0x${Buffer.from(bytes).toString('hex')}` as Hex,
      dataLocation: dataLocation as DataLocation,
    })
    if (payload.kind === 'undecodable') continue
    for (const [path, kind, value] of leavesOf(payload.values)) {
      const field = describe([schemaId, kind, keyOf(path), path])
      const valueOf = describe([field, keyOf(kind === 3 ? value.toLowerCase() : value), value])
      expected.add(describe(['posting', valueOf, timestamp, id]))
      countIn(counts, describe(['field', field]), valueOf)
      countIn(counts, describe(['value', valueOf]), id)
    }
  }
  for (const [subject, counted] of counts) expected.add(`${subject} ${counted.size}`)
  return [
    ...builds.map((row) => `schema, field_state, field_build: ${describe(row)}`),
    ...differences(await storedLines(reads), expected),
  ]
}

async function storedLines(reads: Reads): Promise<Set<string>> {
  const text = (value: SqlValue) => reads.dialect.decodeText(value)
  const key = (value: SqlValue) => Buffer.from(value as Uint8Array).toString('hex')
  const stored = new Set<string>()
  const fieldOf = new Map<number, string>()
  const dropped = new Set<unknown>()
  for (const [id, schemaId, kind, pathKey, path, count, state] of await reads.all(
    'SELECT f.id, f.schema_id, f.kind, f.path_key, f.path, f.value_count, s.field_state ' +
      'FROM field f JOIN schema s ON s.id = f.schema_id',
  )) {
    if (state === 3) {
      dropped.add(id)
      continue
    }
    const field = describe([schemaId, kind, key(pathKey ?? null), text(path ?? null)])
    fieldOf.set(Number(id), field)
    stored.add(`${describe(['field', field])} ${String(count)}`)
  }
  const valueOf = new Map<number, string>()
  const droppedValues = new Set<unknown>()
  for (const [id, fieldId, valueKey, value, count] of await reads.all(
    'SELECT id, field_id, value_key, value, count FROM field_value',
  )) {
    if (dropped.has(fieldId)) {
      droppedValues.add(id)
      continue
    }
    const described = describe([fieldOf.get(Number(fieldId)), key(valueKey ?? null), text(value ?? null)])
    valueOf.set(Number(id), described)
    stored.add(`${describe(['value', described])} ${String(count)}`)
  }
  for (const [valueId, timestamp, id] of await reads.all(
    'SELECT value_id, attest_timestamp, CAST(id AS text) FROM field_posting',
  )) {
    if (droppedValues.has(valueId)) continue
    stored.add(describe(['posting', valueOf.get(Number(valueId)), timestamp, id]))
  }
  return stored
}

function* leavesOf(
  values: readonly NamedPayloadValue[],
  parents: readonly string[] = [],
): Generator<readonly [path: string, kind: number, value: string]> {
  for (const { name, type, value } of values) {
    const names = [...parents, name.replaceAll(/[.[\]\\]/g, (character) => `\\${character}`)]
    yield* valuesOf(value, type, names)
  }
}

function* valuesOf(
  value: PayloadValue,
  type: string,
  names: readonly string[],
): Generator<readonly [path: string, kind: number, value: string]> {
  if (typeof value !== 'object') {
    const kind = [/^u?int/, /^bool/, /^string/, /^/].findIndex((pattern) => pattern.test(type.trim()))
    yield [names.join('.'), kind, String(value)]
    return
  }
  for (const element of value) {
    if (typeof element === 'object' && 'name' in element) yield* leavesOf([element], names)
    else yield* valuesOf(element, type, names)
  }
}

function keyOf(text: string): string {
  const isShort = text.length < 16 && [...text].every((character) => (character.codePointAt(0) ?? 256) < 256)
  if (isShort) return Buffer.from(text, 'latin1').toString('hex')
  return createHash('sha256').update(Buffer.from(text, 'utf16le')).digest('hex').slice(0, 32)
}

function countIn(counts: Map<string, Set<string>>, subject: string, item: string): void {
  counts.set(subject, (counts.get(subject) ?? new Set()).add(item))
}

function describe(parts: readonly unknown[]): string {
  return JSON.stringify(parts)
}

/** The lines that are in only one of two sets. */
export function differences(stored: ReadonlySet<string>, expected: ReadonlySet<string>): string[] {
  return [
    ...[...stored].filter((line) => !expected.has(line)).map((line) => `stored: ${line}`),
    ...[...expected].filter((line) => !stored.has(line)).map((line) => `expected: ${line}`),
  ]
}
