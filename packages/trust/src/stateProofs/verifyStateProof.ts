import { parseAddress, parseHash } from '@attestry/core/model/hex.ts'
import { checkStateProof } from './checkStateProof.ts'
import { parseStateProof } from './parseStateProof.ts'
import type { StateProof } from './stateProof.ts'

/** The values that the reader of a proof trusts. */
export interface TrustedState {
  /** The hash of a block, from a source that does not depend on the server of the proof. */
  readonly blockHash: string
  /**
   * The contracts that may decide; any contract if absent. A claim that is read from an issuer's index and from the
   * contract of the records needs both.
   */
  readonly contract?: string | readonly string[]
}

/** `reason` is a sentence without its full stop. */
export type VerifiedState =
  | { readonly valid: true; readonly proof: StateProof; readonly says: StateProof['says'] }
  | { readonly valid: false; readonly reason: string }

/**
 * Verifies a state proof from a trusted block hash, without a request.
 * @param proof the text or the parsed JSON of an answer, with or without its envelope.
 */
export function verifyStateProof(proof: unknown, trusted: TrustedState): VerifiedState {
  const parsed = parseStateProof(typeof proof === 'string' ? proof : (JSON.stringify(proof) ?? ''))
  if (parsed.kind === 'none') return { valid: false, reason: `this is no state proof: it ${parsed.reason}` }
  const check = checkStateProof(parsed.proof)
  if (check.kind === 'invalid') return { valid: false, reason: check.reason }
  const reason = findDistrust(parsed.proof, trusted)
  return reason === null
    ? { valid: true, proof: parsed.proof, says: parsed.proof.says }
    : { valid: false, reason }
}

/** Compares a valid proof with what its reader trusts; null if nothing differs. */
export function findDistrust(
  { block, contracts }: StateProof,
  trusted: Partial<TrustedState>,
): string | null {
  const { blockHash, contract } = trusted
  if (blockHash !== undefined && parseHash(blockHash) !== block.hash) {
    return `the proof is of another block: its hash is ${block.hash}, not ${blockHash}`
  }
  if (contract === undefined) return null
  const given = typeof contract === 'string' ? [contract] : contract
  const known = given.map(parseAddress)
  const other = contracts.find(({ address }) => !known.includes(address))
  return other === undefined
    ? null
    : `the proof depends on another contract: ${other.address}, not ${given.join(' or ')}`
}
