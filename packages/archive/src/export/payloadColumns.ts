import type { DecodedPayload, NamedPayloadValue, PayloadValue } from '@attestry/core/model/decodedPayload.ts'
import type { SchemaField } from '@attestry/core/model/records.ts'

/** A column of the decoded payloads of one schema: a field of it. */
export interface PayloadColumn {
  readonly name: string
  /** Its type, as the schema has it. */
  readonly type: string
  /** null of a payload that is not decoded, or kept elsewhere. */
  readonly valueOf: (payload: DecodedPayload | null) => PayloadValue | null
}

/** A column for each field; a field whose name is taken, in whatever case, gets a number (`id_2`). */
export function payloadColumns(
  fields: readonly SchemaField[],
  taken: readonly string[],
): readonly PayloadColumn[] {
  const names = distinctNames(
    fields.map(({ name }) => name),
    taken,
  )
  return fields.map(({ name, type }, index) => ({
    name: names[index] ?? '',
    type,
    valueOf: (payload) => {
      const found = payload?.kind === 'decoded' ? payload.values[index] : undefined
      // A payload that is kept elsewhere has a pointer in place of the fields.
      return found?.name === name && found.type === type ? found.value : null
    },
  }))
}

/** A value as plain JSON: a tuple as an object of its members. */
export function plainValue(value: PayloadValue): unknown {
  if (typeof value !== 'object') return value
  return isTuple(value) ? plainMembers(value) : value.map((each) => plainValue(each))
}

/** The values of a payload as an object of its fields; null of a payload that is not decoded. */
export function plainPayload(payload: DecodedPayload | null): Readonly<Record<string, unknown>> | null {
  return payload?.kind === 'decoded' ? plainMembers(payload.values) : null
}

/** Why a payload is not decoded; null of one that is. */
export function decodeErrorOf(payload: DecodedPayload | null): string | null {
  return payload?.kind === 'undecodable' ? payload.reason : null
}

function plainMembers(members: readonly NamedPayloadValue[]): Readonly<Record<string, unknown>> {
  const names = distinctNames(
    members.map(({ name }) => name),
    [],
  )
  return Object.fromEntries<unknown>(
    members.map(({ value }, index) => [names[index] ?? '', plainValue(value)]),
  )
}

function isTuple(value: Exclude<PayloadValue, string | boolean>): value is readonly NamedPayloadValue[] {
  const [first] = value
  return typeof first === 'object' && 'name' in first
}

/**
 * Names that differ in more than case: `field1` for an empty name, `name_2` for a taken one.
 */
export function distinctNames(names: readonly string[], taken: readonly string[]): readonly string[] {
  const used = new Set(taken.map((name) => name.toLowerCase()))
  return names.map((given, index) => {
    const base = given === '' ? `field${index + 1}` : given
    let name = base
    for (let number = 2; used.has(name.toLowerCase()); number++) name = `${base}_${number}`
    used.add(name.toLowerCase())
    return name
  })
}
