import type { Hex } from './hex.ts'
import type { DataLocation, ProtocolName, SchemaField } from './records.ts'

/**
 * A value in JSON: integers as decimal digits, addresses checksummed, byte strings as `0x` hex, an array as its
 * elements, a tuple as its named components.
 */
export type PayloadValue = string | boolean | readonly PayloadValue[] | readonly NamedPayloadValue[]

export interface NamedPayloadValue {
  readonly name: string
  /** The type as its author wrote it. */
  readonly type: string
  readonly value: PayloadValue
}

/** The values of an attestation's payload, in the order of its schema, or the reason why the payload is undecodable. */
export type DecodedPayload =
  | { readonly kind: 'decoded'; readonly values: readonly NamedPayloadValue[] }
  | { readonly kind: 'undecodable'; readonly reason: string }

/** The input for decoding the payload of an attestation. */
export interface EncodedPayload {
  readonly protocol: ProtocolName
  /** The fields of the attestation's schema. */
  readonly fields: readonly SchemaField[]
  readonly data: Hex
  readonly dataLocation: DataLocation
}

/** Decodes payloads and never throws. The caller knows the protocols. */
export type DecodePayload = (payload: EncodedPayload) => DecodedPayload
