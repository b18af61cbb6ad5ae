import type { DecodedPayload, DecodePayload } from './decodedPayload.ts'
import { listFieldLeaves, type FieldLeaf } from './fieldValues.ts'
import type { Hex } from './hex.ts'
import type { DataLocation, ProtocolName, SchemaField } from './records.ts'

/** An attestation that was read with its detail and its schema, as far as its payload is concerned. */
export interface StoredPayload {
  readonly key: { readonly protocol: ProtocolName }
  /** Members of a JSON object, `data` and `dataLocation` among them. */
  readonly detailJson: string
  /** null: not indexed. */
  readonly schema: { readonly fieldsJson: string } | null
}

/** Decodes the payload of a stored attestation. */
export function decodeStoredPayload(
  { key, detailJson, schema }: StoredPayload,
  decodePayload: DecodePayload,
): DecodedPayload {
  // Both texts are JSON that our own store made of these members.
  const { data, dataLocation } = JSON.parse(`{${detailJson}}`) as {
    readonly data: Hex
    readonly dataLocation: DataLocation
  }
  const fields = JSON.parse(schema?.fieldsJson ?? '[]') as readonly SchemaField[]
  return decodePayload({ protocol: key.protocol, fields, data, dataLocation })
}

/** The values of such a payload as filters see them; none of an undecodable payload. */
export function leavesOf(attestation: StoredPayload, decodePayload: DecodePayload): readonly FieldLeaf[] {
  const payload = decodeStoredPayload(attestation, decodePayload)
  return payload.kind === 'decoded' ? listFieldLeaves(payload.values) : []
}

/** The size of the input for decoding a payload, in characters. */
export function encodedLength({ detailJson, schema }: StoredPayload): number {
  return detailJson.length + (schema?.fieldsJson.length ?? 0)
}
