import type { Hex } from 'viem'
import type { Random } from '../random.ts'

/** A field of a schema as the official SDK writes it: `type` is a Solidity type, or a list for a nested record. */
export interface DemoField {
  readonly name: string
  readonly type: string | readonly DemoField[]
}

/**
 * The distribution of a schema's attestations over time: even, growing, fading, or most of them in a few hours around
 * an event `daysAgo`.
 */
export type Rhythm = 'steady' | 'growing' | 'fading' | { readonly daysAgo: number; readonly hours: number }

/**
 * The encoding of an attestation's payload: the fields one after the other (today's SDK) or in one tuple (its earlier
 * versions), or the Solidity parameters that the schema's text lists (EAS). Others are one string that holds a content
 * id, plain text that no ABI decoder reads, arbitrary bytes, or nothing.
 */
export type Payload = 'flat' | 'tuple' | 'parameters' | 'contentId' | 'text' | 'bytes' | 'empty'

/** Everything that the demo needs to know of one schema and of the attestations under it. Accounts are indices. */
export interface DemoSchema {
  readonly name: string
  readonly description: string
  /** As in `parseFields`; `values` gives one value for each. */
  readonly fields: readonly DemoField[]
  readonly values: (random: Random, number: number) => readonly unknown[]
  /** The schema's text on chain, if it is not the usual JSON of name, description and fields. */
  readonly text?: string
  /** The reference that explains the schema's meaning (Verax). */
  readonly context?: string
  readonly registrant: number
  readonly attesters: readonly number[]
  /** How many attestations this schema gets, relative to the others. */
  readonly weight: number
  readonly rhythm: Rhythm
  /** `flat` by default. */
  readonly payload?: Payload
  /** Of the schema and of its attestations: 0 ONCHAIN (the default), 1 ARWEAVE, 2 IPFS, 3 CUSTOM. */
  readonly dataLocation?: number
  /** One account in a random encoding by default. */
  readonly recipients?: (random: Random, number: number) => readonly Hex[]
  readonly indexingValue?: (random: Random, number: number) => string
  /** Attestations in one transaction, fewest and most; one by default. */
  readonly batch?: readonly [number, number]
  /** true by default. */
  readonly revocable?: boolean
  /** Share of the attestations that are revoked later; 0 by default. */
  readonly revokedShare?: number
  readonly reasons?: readonly string[]
  /** Seconds that attestations may be valid; 0, the default, for ever. */
  readonly maxValidForS?: number
  /** Unix seconds until which an attestation made at `timeS` is valid; 0, for ever, by default. */
  readonly validUntil?: (random: Random, timeS: number) => bigint
  /** Whether its calls go through a hook contract. */
  readonly hook?: boolean
  /** Whether another account registers it in the registrant's name. */
  readonly delegated?: boolean
  /** Share of the calls that a relayer sends in the attester's name; 0 by default. */
  readonly relayedShare?: number
  /** Share of the attestations that refer to an earlier one of the same attester; 0 by default. */
  readonly linkedShare?: number
}

/** Reads `string name, uint8 level` into fields; the types must not hold commas. */
export function parseFields(text: string): readonly DemoField[] {
  return text.split(',').map((part) => {
    const [type = '', name = ''] = part.trim().split(/\s+/)
    return { name, type }
  })
}

/** The text of a schema as the official SDK writes it. */
export function schemaText(schema: DemoSchema): string {
  if (schema.text !== undefined) return schema.text
  return JSON.stringify({ name: schema.name, description: schema.description, data: schema.fields })
}
