import { setImmediate as nextTurn } from 'node:timers/promises'
import type { DecodePayload } from '@attestry/core/model/decodedPayload.ts'
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

const skippedMembers = `"decodedData":null,"decodedDataError":"${decodingUsedUp}"`

/**
 * The members that `include=decoded` adds to a row, for each of `attestations`: `decodedData`, a list of `{name, type,
 * value}`, or null with the reason in `decodedDataError`.
 */
export async function presentDecodedData(
  attestations: readonly StoredAttestation[],
  decodePayload: DecodePayload,
): Promise<string[]> {
  const members: string[] = []
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
      members.push(skippedMembers)
      continue
    }
    const text = presentPayload(attestation, decodePayload)
    members.push(text)
    encoded += length
    decoded += text.length
    sinceTurn += length + text.length
    if (sinceTurn > turnLength) {
      sinceTurn = 0
      await nextTurn()
    }
  }
  return members
}

/** The members that `include=decoded` adds to one row. */
export function presentPayload(attestation: StoredAttestation, decodePayload: DecodePayload): string {
  const payload = decodeStoredPayload(attestation, decodePayload)
  switch (payload.kind) {
    case 'decoded':
      return `"decodedData":${JSON.stringify(payload.values)},"decodedDataError":null`
    case 'undecodable':
      return `"decodedData":null,"decodedDataError":${JSON.stringify(payload.reason)}`
  }
}
