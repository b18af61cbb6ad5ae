import { setImmediate as nextTurn } from 'node:timers/promises'
import type { DecodedPayload, DecodePayload, NamedPayloadValue } from '@attestry/core/model/decodedPayload.ts'
import type { StoredAttestation } from '@attestry/core/index/storedRecords.ts'
import { decodeStoredPayload, encodedLength } from '@attestry/core/model/decodeStoredPayload.ts'

/**
 * Strangers choose the cost of decoding: a payload is any bytes of its attester. The decoding of one answer is
 * therefore bounded, in the bytes that are read and in the text of the values; later rows get a reason instead.
 */

/**
 * The greatest number of characters of payloads and schemas that are decoded for one answer: 256 KiB of payload, the
 * bound of a single payload. Filled with addresses, the costliest values, it takes some 150 ms.
 */
export const encodedLengthMax = 512 * 1024

/** Most characters of values in one answer, before the last payload is decoded. */
export const decodedLengthMax = 2 * 1024 * 1024

/** After this many characters, other requests get a turn. */
const turnLength = 64 * 1024

/** The reason of a row that is not decoded, because those before it were long. */
export const decodingUsedUp =
  'the rows before this one used up the decoding limit of one answer; request this attestation alone'

/** The members that show a payload: `decodedData`, or null with the reason in `decodedDataError`. */
export interface DecodedMembers {
  readonly decodedData: readonly NamedPayloadValue[] | null
  readonly decodedDataError: string | null
}

/** The members that `include=decoded` adds to a row, for each of `attestations`. */
export async function presentDecodedData(
  attestations: readonly StoredAttestation[],
  decodePayload: DecodePayload,
): Promise<DecodedMembers[]> {
  const members: DecodedMembers[] = []
  let encoded = 0
  let decoded = 0
  let sinceTurn = 0
  for (const attestation of attestations) {
    const length = encodedLength(attestation)
    // The first row is decoded at any length, so that an attestation that is asked for alone always is.
    const isBeyond =
      attestation.unreadBytes !== undefined ||
      (encoded > 0 && (encoded + length > encodedLengthMax || decoded > decodedLengthMax))
    if (isBeyond) {
      members.push({ decodedData: null, decodedDataError: decodingUsedUp })
      continue
    }
    const payload = decodeStoredPayload(attestation, decodePayload)
    members.push(presentDecoded(payload))
    const { length: shown } = JSON.stringify(payload)
    encoded += length
    decoded += shown
    sinceTurn += length + shown
    if (sinceTurn > turnLength) {
      sinceTurn = 0
      await nextTurn()
    }
  }
  return members
}

/** A payload as answers show it. */
export function presentDecoded(payload: DecodedPayload): DecodedMembers {
  return payload.kind === 'decoded'
    ? { decodedData: payload.values, decodedDataError: null }
    : { decodedData: null, decodedDataError: payload.reason }
}

/** The members that `include=decoded` adds to one row. */
export function presentPayload(attestation: StoredAttestation, decodePayload: DecodePayload): DecodedMembers {
  return presentDecoded(decodeStoredPayload(attestation, decodePayload))
}
