import type { DecodedPayload, DecodePayload } from '@attestry/core/model/decodedPayload.ts'
import type { StoredAttestation } from '@attestry/core/index/storedRecords.ts'
import { decodeStoredPayload, encodedLength } from '@attestry/core/model/decodeStoredPayload.ts'
import { decodedLengthMax, encodedLengthMax } from '../../records/presentDecodedData.ts'

const skipped: DecodedPayload = {
  kind: 'undecodable',
  reason: 'the attestations before this one used up the decoding limit of one answer; request this one alone',
}

/**
 * The decoder of one request. Strangers write the payloads, so all payloads of one request share the bounds of a REST
 * answer. Each attestation is decoded once, for all fields that ask for it.
 */
export function createPayloadDecoder(
  decodePayload: DecodePayload,
): (attestation: StoredAttestation) => DecodedPayload {
  const known = new Map<StoredAttestation, DecodedPayload>()
  let encoded = 0
  let decoded = 0

  function decodeWithinBounds(attestation: StoredAttestation): DecodedPayload {
    const length = encodedLength(attestation)
    // The first payload is decoded at any length, so that an attestation that is asked for alone always is.
    if (encoded > 0 && (encoded + length > encodedLengthMax || decoded > decodedLengthMax)) return skipped
    const payload = decodeStoredPayload(attestation, decodePayload)
    encoded += length
    if (payload.kind === 'decoded') decoded += JSON.stringify(payload.values).length
    return payload
  }

  return (attestation) => {
    const payload = known.get(attestation) ?? decodeWithinBounds(attestation)
    known.set(attestation, payload)
    return payload
  }
}
