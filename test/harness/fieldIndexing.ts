import { decodeIndexedPayload } from '../../src/protocols/decodeIndexedPayload.ts'
import type { FieldIndexing } from '../../src/store/layout/fieldState.ts'

/** The fields of every schema are indexed, as by default. */
export const allFields: FieldIndexing = { decodePayload: decodeIndexedPayload, includes: () => true }
