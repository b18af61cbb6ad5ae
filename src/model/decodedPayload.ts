import type { Hex } from './hex.ts'
import type { DataLocation, ProtocolName, SchemaField } from './records.ts'

/**
 * A value as JSON can carry it: integers as decimal digits, addresses checksummed, byte strings as `0x` hex, an array as its
 * elements, a tuple as its named components.
 */
export type PayloadValue = string | boolean | readonly PayloadValue[] | readonly NamedPayloadValue[]

export interface NamedPayloadValue {
  readonly name: string
  /** The type as its author wrote it. */
  readonly type: string
  readonly value: PayloadValue
}

/** The values that an attestation's payload holds, in the order of its schema, or why they cannot be told. */
export type DecodedPayload =
  | { readonly kind: 'decoded'; readonly values: readonly NamedPayloadValue[] }
  | { readonly kind: 'undecodable'; readonly reason: string }

/** What it takes to understand the payload of an attestation. */
export interface EncodedPayload {
  readonly protocol: ProtocolName
  /** The fields of the attestation's schema. */
  readonly fields: readonly SchemaField[]
  readonly data: Hex
  readonly dataLocation: DataLocation
}

/** Understands payloads; whatever one holds, nothing is thrown. Which protocols there are, only the caller knows. */
export type DecodePayload = (payload: EncodedPayload) => DecodedPayload
