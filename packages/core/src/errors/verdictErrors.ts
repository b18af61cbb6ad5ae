import { AttestryError } from './baseError.ts'

/** A file that was given as a signed verdict is not one; exit code 2. */
export class VerdictMalformedError extends AttestryError {
  override readonly code = 'VERDICT_MALFORMED'
}

/** A signed verdict does not hold: its signature, its time, or for whom or what it was signed; exit code 1. */
export class VerdictInvalidError extends AttestryError {
  override readonly code = 'VERDICT_INVALID'
}

/** An index gives another verdict in the same state, or has another block in its place; exit code 3. */
export class VerdictDisputedError extends AttestryError {
  override readonly code = 'VERDICT_DISPUTED'
}

/** An index cannot judge: it has not reached the block, does not have the chain or the policy, or does not answer; exit code 4. */
export class VerdictUncheckedError extends AttestryError {
  override readonly code = 'VERDICT_UNCHECKED'
}
