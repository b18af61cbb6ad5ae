import { encodedLength, leavesOf } from '@attestry/core/model/decodeStoredPayload.ts'
import type { DecodePayload } from '@attestry/core/model/decodedPayload.ts'
import type { FieldCondition } from '@attestry/core/model/fieldCondition.ts'
import { matchesField } from '@attestry/core/model/fieldValues.ts'
import type { StoredAttestation } from '@attestry/core/index/storedRecords.ts'

/** Looks for conditions on fields in the payloads of rows, which were read with detail and schema. */
export interface PayloadCheck<Row = StoredAttestation> {
  readonly passes: (row: Row) => boolean
  /** Whether the payload of a row was not read, because those before it were long. */
  readonly isUnread?: (row: Row) => boolean
  /** About how many rows without a payload cost as much to pass over. Strangers choose the length of a payload. */
  readonly costOf: (row: Row) => number
}

/** Rows whose payloads are in memory at the same time. */
export const checkedRowsMax = 100

/** The fields of rows that are checked: few long payloads are in memory at the same time either. */
export const checkedFields = { detail: true, schema: true, payloadBytesMax: 1024 * 1024 }

/** Decoding this many characters takes about as long as passing over one row. */
const charactersPerRow = 64

/** The check of the conditions; null without any. */
export function createPayloadCheck(
  conditions: readonly FieldCondition[],
  decodePayload: DecodePayload,
): PayloadCheck | null {
  if (conditions.length === 0) return null
  return {
    isUnread: ({ unreadBytes }) => unreadBytes !== undefined,
    passes: (attestation) => {
      const leaves = leavesOf(attestation, decodePayload)
      return conditions.every((condition) => matchesField(leaves, condition))
    },
    costOf: (attestation) => Math.ceil(encodedLength(attestation) / charactersPerRow),
  }
}
