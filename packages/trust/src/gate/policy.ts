import type { ChainId } from '@attestry/core/model/compositeId.ts'
import type { TypedSetting } from './typedData.ts'
import type { HoldingsRequest } from '@attestry/core/index/indexQueries.ts'

/** A rule by which addresses are let through (docs/gate.md). */
export interface Policy {
  /** The name in the configuration; null: the policy came with a request. */
  readonly name: string | null
  readonly term: Term
  /** Maximum age of the index of each chain of the policy, in seconds. */
  readonly maxStaleness: number
  /** The score at `/snapshot` of an allowed address. */
  readonly score: Score
  /** The typed data that an `allow` is signed as; null: the type `Verdict`. */
  readonly typedData: TypedSetting | null
  /** The policy as one may send it, without `typedData` and with the policies that it names in place of their names. */
  readonly written: Readonly<Record<string, unknown>>
  /** SHA-256 of `written` as canonical JSON (RFC 8785). */
  readonly hash: string
  /** The chains of its schemas, each once. */
  readonly chainIds: readonly ChainId[]
}

export type Term =
  | { readonly kind: 'all' | 'any'; readonly terms: readonly Term[] }
  | { readonly kind: 'atLeast'; readonly count: number; readonly terms: readonly Term[] }
  | { readonly kind: 'not'; readonly term: Term }
  | { readonly kind: 'holds'; readonly holds: Holds }

/** The subject holds a valid attestation (or, as an attester, made it). */
export interface Holds extends Pick<
  HoldingsRequest,
  'schema' | 'attesters' | 'role' | 'fields' | 'attestersMin'
> {
  /** Seconds since the attestation was made; null: any number of them. */
  readonly maxAge: number | null
  /** The condition on attesters, if `attesters` is null; null: any attester counts. */
  readonly vouch: Vouch | null
}

/** A condition on an attester: it holds something itself or, at two hops, has it from an account that does. */
export interface Vouch {
  readonly holds: Holds
  readonly hops: 1 | 2
}

/**
 * `pass`: 1; `count`: how many records the verdict is because of; `field`: the sum of a number in the payloads of these
 * records.
 */
export type Score =
  | { readonly kind: 'pass' | 'count' }
  | { readonly kind: 'field'; readonly path: readonly string[] }

/** The `holds` of a term and of all terms within, each before that of its attesters. */
export function listHolds(term: Term): readonly Holds[] {
  return listOwnHolds(term).flatMap((holds) => (holds.vouch === null ? [holds] : [holds, holds.vouch.holds]))
}

/** The same, only of subjects. */
export function listOwnHolds(term: Term): readonly Holds[] {
  if (term.kind === 'holds') return [term.holds]
  if (term.kind === 'not') return listOwnHolds(term.term)
  return term.terms.flatMap(listOwnHolds)
}
