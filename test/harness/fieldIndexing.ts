import { decodeIndexedPayload } from '@attestry/core/protocols/decodeIndexedPayload.ts'
import type { FieldIndexing } from '@attestry/core/index/fieldIndexing.ts'

/** The fields of every schema are indexed, as by default. */
export const allFields: FieldIndexing = { decodePayload: decodeIndexedPayload, includes: () => true }
