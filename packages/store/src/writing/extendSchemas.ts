import type { LocalId } from '@attestry/core/model/compositeId.ts'
import type { DomainEvent } from '@attestry/core/model/domainEvent.ts'
import type { ProtocolName, SchemaField } from '@attestry/core/model/records.ts'
import type { Tables } from '../port/tables.ts'
import { findRegisteredSchemas } from './writeSchema.ts'

/**
 * The events, with the fields of each schema that extends another after those of its parent. A parent counts if it was
 * registered before: the fields of a schema never change, and a revert that takes the parent takes the schema too. A
 * schema has no fields if its parent has none.
 */
export async function extendSchemas<Timed extends { readonly event: DomainEvent }>(
  tables: Tables,
  chainId: number,
  events: readonly Timed[],
): Promise<readonly Timed[]> {
  const parents = new Set<LocalId>()
  for (const { event } of events) {
    const parent = event.kind === 'schemaRegistered' ? event.schema.definition.extends : undefined
    if (parent !== undefined) parents.add(parent)
  }
  if (parents.size === 0) return events
  const known = new Map<string, readonly SchemaField[]>()
  for (const { schema } of await findRegisteredSchemas(tables, chainId, [...parents])) {
    known.set(keyOf(schema.protocol, schema.key.localId), schema.definition.fields)
  }
  return events.map((timed) => {
    const { event } = timed
    if (event.kind !== 'schemaRegistered') return timed
    const { protocol, key, definition } = event.schema
    const { extends: parent, ...own } = definition
    const fields =
      parent === undefined ? own.fields : extendFields(known.get(keyOf(protocol, parent)) ?? [], own.fields)
    known.set(keyOf(protocol, key.localId), fields)
    if (parent === undefined) return timed
    return { ...timed, event: { ...event, schema: { ...event.schema, definition: { ...own, fields } } } }
  })
}

/** A field whose name the schema defines anew is the schema's own, and no longer its parent's. */
function extendFields(
  inherited: readonly SchemaField[],
  own: readonly SchemaField[],
): readonly SchemaField[] {
  if (inherited.length === 0) return []
  const names = new Set(own.map(({ name }) => name))
  return [...inherited.filter(({ name }) => name === '' || !names.has(name)), ...own]
}

function keyOf(protocol: ProtocolName, localId: LocalId): string {
  return `${protocol} ${localId}`
}
