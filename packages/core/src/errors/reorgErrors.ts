import { AttestryError } from './baseError.ts'

/** The chain was reorganised below the remembered blocks; an operator must decide which fork is right. */
export class DeepReorganisationError extends AttestryError {
  override readonly code = 'REORG_TOO_DEEP'
}

/**
 * An endpoint's answers about one block contradict each other; the request is repeated, usually at another endpoint.
 */
export class InconsistentChainError extends AttestryError {
  override readonly code = 'CHAIN_INCONSISTENT'
}
