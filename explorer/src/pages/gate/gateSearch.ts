import { readText } from '../../format/readSearch.ts'
import { withoutAbsent } from '../../format/withoutAbsent.ts'

/** The search parameters of the gate page. */
export interface GateSearch {
  /** The name of a policy of the server. */
  readonly policy?: string | undefined
  /** A policy itself, as JSON; used if there is no `policy`. */
  readonly rule?: string | undefined
  readonly address?: string | undefined
  /** A block, `<chainId>:<number or hash>`, or Unix seconds. */
  readonly asOf?: string | undefined
}

export function readGateSearch(raw: Readonly<Record<string, unknown>>): GateSearch {
  return {
    policy: readText(raw, 'policy'),
    rule: readText(raw, 'rule'),
    address: readText(raw, 'address'),
    asOf: readText(raw, 'asOf'),
  }
}

/** The longest policy, in characters: the address of the page holds it, and servers take 16 kB of an address. */
export const ruleLengthMax = 6_000

/** A policy that was read, or the mistake in its text. */
export type ReadRule =
  | { readonly kind: 'rule'; readonly rule: Readonly<Record<string, unknown>> }
  | { readonly kind: 'mistake'; readonly message: string }

/** Reads the text of a policy; the server checks its meaning. */
export function readRule(text: string): ReadRule {
  if (text.trim() === '') return { kind: 'mistake', message: 'Write a policy, or choose one.' }
  if (text.length > ruleLengthMax) {
    return { kind: 'mistake', message: `A policy here has at most ${ruleLengthMax} characters.` }
  }
  let rule: unknown
  try {
    rule = JSON.parse(text)
  } catch {
    return { kind: 'mistake', message: 'This is no JSON: names and texts stand in double quotes.' }
  }
  if (typeof rule !== 'object' || rule === null || Array.isArray(rule)) {
    return { kind: 'mistake', message: 'A policy is an object, such as { "holds": { … } }.' }
  }
  return { kind: 'rule', rule: rule as Readonly<Record<string, unknown>> }
}

/**
 * A first policy under a schema, which the protocol tells from others of its id.
 * @param attesters those whose attestations count: anybody may attest under a schema.
 */
export function ruleUnder(schemaId: string, attesters: readonly string[], protocol?: string): string {
  const holds = { schema: schemaId, ...withoutAbsent({ protocol }), attester: attesters }
  return JSON.stringify({ holds, maxStaleness: '10m' }, null, 2)
}

/** The mistake in a moment; undefined for a valid one. */
export function asOfMistake(text: string): string | undefined {
  return /^(?:[1-9]\d*:(?:0x[0-9a-f]{64}|\d+)|\d+)$/i.test(text)
    ? undefined
    : 'A moment is a block such as 10:120000000, or Unix seconds.'
}

/** The first schema that a policy asks for by its composite id; undefined if it names none. */
export function schemaOfPolicy(policy: unknown): string | undefined {
  if (typeof policy !== 'object' || policy === null) return undefined
  for (const [name, value] of Object.entries(policy)) {
    const found =
      name === 'schema' && typeof value === 'string' && value.startsWith('onchain_evm_')
        ? value
        : schemaOfPolicy(value)
    if (found !== undefined) return found
  }
  return undefined
}
