import type { DecodedPayload, DecodePayload } from './decodedPayload.ts'
import { listFieldLeaves, type FieldLeaf } from './fieldValues.ts'
import { detailOf, type AttestationDetail, parseFields } from './recordJson.ts'
import type { ProtocolName } from './records.ts'

/** An attestation that was read with its detail and its schema, as far as its payload is concerned. */
export interface StoredPayload {
  readonly key: { readonly protocol: ProtocolName }
  readonly detail: Pick<AttestationDetail, 'data' | 'dataLocation'> | null
  /** null: not indexed. */
  readonly schema: { readonly payloadFieldsJson: string } | null
}

/** Decodes the payload of a stored attestation. */
export function decodeStoredPayload(
  { key, detail, schema }: StoredPayload,
  decodePayload: DecodePayload,
): DecodedPayload {
  const { data, dataLocation } = detailOf(detail)
  // The store made the text of these members.
  const fields = parseFields(schema?.payloadFieldsJson ?? '[]')
  return decodePayload({ protocol: key.protocol, fields, data, dataLocation })
}

/** The values of such a payload as filters see them; none of an undecodable payload. */
export function leavesOf(attestation: StoredPayload, decodePayload: DecodePayload): readonly FieldLeaf[] {
  const payload = decodeStoredPayload(attestation, decodePayload)
  return payload.kind === 'decoded' ? listFieldLeaves(payload.values) : []
}

/** The size of the input for decoding a payload, in characters. */
export function encodedLength({ detail, schema }: StoredPayload): number {
  return detailOf(detail).data.length + (schema?.payloadFieldsJson.length ?? 0)
}
