import { AttestryError } from './baseError.ts'

/** A file that was given as a proof is not one; exit code 2. */
export class ProofMalformedError extends AttestryError {
  override readonly code = 'PROOF_MALFORMED'
}

/** A proof does not prove its claim, or proves it of another block or contract; exit code 1. */
export class ProofInvalidError extends AttestryError {
  override readonly code = 'PROOF_INVALID'
}
