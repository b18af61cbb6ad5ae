import { BadParameterError } from '@attestry/core/errors/apiErrors.ts'
import type { UnixMilliseconds } from '@attestry/core/model/time.ts'
import type { AttestationFilter, SchemaFilter } from '@attestry/core/index/indexQueries.ts'
import type { ChangeFilter } from '@attestry/core/changes/changeFilter.ts'
import { changeFilterOf, changeParameters } from '../../events/changeParameters.ts'
import {
  attestationFilterOf,
  attestationFilterParameters,
} from '../../../pipeline/parameters/attestationFilterParameters.ts'
import { readFieldFilters, type FieldFilter } from './readFieldFilters.ts'
import type { ParameterSet, ParameterValues } from '../../../pipeline/parameters/parameter.ts'
import {
  schemaFilterOf,
  schemaFilterParameters,
} from '../../../pipeline/parameters/schemaFilterParameters.ts'

/**
 * Reads the input object `AttestationFilter`, whose members are the query parameters of the REST interface, by the same
 * rules and with the same messages. Null if no record can ever pass the filter.
 * @param now called only if the filter depends on the present time.
 * @throws BadParameterError naming the member.
 */
export function readAttestationFilter(value: unknown, now: () => UnixMilliseconds): AttestationFilter | null {
  const values = readMembers(attestationFilterParameters, value)
  const { fields } = (value ?? {}) as { readonly fields?: readonly FieldFilter[] | null }
  return attestationFilterOf({ ...values, fieldConditions: readFieldFilters(fields ?? []) }, now)
}

/**
 * Reads the input object `SchemaFilter`, likewise.
 * @throws BadParameterError naming the member.
 */
export function readSchemaFilter(value: unknown): SchemaFilter | null {
  return schemaFilterOf(readMembers(schemaFilterParameters, value))
}

/**
 * Reads the input object `ChangeFilter`, likewise.
 * @throws BadParameterError naming the member.
 */
export function readChangeFilter(value: unknown): ChangeFilter | null {
  const values = readMembers(changeParameters, value)
  const { fields } = (value ?? {}) as { readonly fields?: readonly FieldFilter[] | null }
  return changeFilterOf({ ...values, fieldConditions: readFieldFilters(fields ?? []) })
}

/** GraphQL has checked the types of the members; parameters check the rest, and read text. */
export function readMembers<const Set extends ParameterSet>(set: Set, value: unknown): ParameterValues<Set> {
  // An input object; its members have the names of the set.
  const members = (value ?? {}) as Readonly<Record<string, unknown>>
  const values: Record<string, unknown> = {}
  for (const [name, parameter] of Object.entries(set)) {
    const member = members[name]
    if (member === null || member === undefined) {
      values[name] = parameter.absent?.value ?? null
      continue
    }
    const text = typeof member === 'string' ? member : JSON.stringify(member)
    if (text.includes('\0')) {
      throw new BadParameterError(`${name} holds a NUL character; leave it out.`)
    }
    values[name] = parameter.read(text)
  }
  // Every member of the set has been read by its parameter.
  return values as ParameterValues<Set>
}
