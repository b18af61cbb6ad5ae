import { formatCompositeId, type CompositeId } from '../model/compositeId.ts'
import { decodeIndexedPayload } from '../protocols/decodeIndexedPayload.ts'
import type { FieldIndexing } from '../store/layout/fieldState.ts'

/** The schemas whose decoded fields are indexed (`index.fields` of the configuration). */
export type FieldSetting = 'all' | 'none' | readonly CompositeId[]

/** How a writer indexes fields by the setting. */
export function createFieldIndexing(setting: FieldSetting): FieldIndexing {
  const decodePayload = decodeIndexedPayload
  if (setting === 'all') return { decodePayload, includes: () => true }
  const ids = new Set<CompositeId>(setting === 'none' ? [] : setting)
  return { decodePayload, includes: (schema) => ids.has(formatCompositeId(schema)) }
}
