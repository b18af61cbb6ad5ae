import type { DecodedPayload, DecodePayload } from '../../model/decodedPayload.ts'
import type { Hex } from '../../model/hex.ts'
import type { DataLocation, SchemaField } from '../../model/records.ts'
import type { StoredAttestation } from '../../store/indexReader.ts'

/** Decodes the payload of a stored attestation, which was read with its detail and its schema. */
export function decodeStoredPayload(
  attestation: StoredAttestation,
  decodePayload: DecodePayload,
): DecodedPayload {
  // Both texts are JSON that our own store made of these members.
  const { data, dataLocation } = JSON.parse(`{${attestation.detailJson}}`) as {
    readonly data: Hex
    readonly dataLocation: DataLocation
  }
  const fields = JSON.parse(attestation.schema?.fieldsJson ?? '[]') as readonly SchemaField[]
  return decodePayload({ protocol: attestation.protocol, fields, data, dataLocation })
}

/** The size of the input for decoding a payload, in characters. */
export function encodedLength({ detailJson, schema }: StoredAttestation): number {
  return detailJson.length + (schema?.fieldsJson.length ?? 0)
}
