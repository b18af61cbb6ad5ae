import { formatCompositeId, type CompositeId } from '@attestry/core/model/compositeId.ts'
import { decodeIndexedPayload } from '@attestry/core/protocols/decodeIndexedPayload.ts'
import { defineSchema } from '@attestry/core/protocols/defineSchema.ts'
import type { FieldIndexing } from '@attestry/core/index/fieldIndexing.ts'

/** The schemas whose decoded fields are indexed (`index.fields` of the configuration). */
export type FieldSetting = 'all' | 'none' | readonly CompositeId[]

/** Not beside the schema of the configuration: each thread that opens a database would load the schema's library. */
export const fieldsDefault = 'all'

/** The functions that decode stored payloads and schemas again, by the rules of their protocols. */
export const readings = { decodePayload: decodeIndexedPayload, defineSchema } as const

/** The field indexing of a writer, as the setting says. */
export function createFieldIndexing(setting: FieldSetting): FieldIndexing {
  if (setting === 'all') return { ...readings, includes: () => true }
  const ids = new Set<CompositeId>(setting === 'none' ? [] : setting)
  return { ...readings, includes: (schema) => ids.has(formatCompositeId(schema)) }
}
