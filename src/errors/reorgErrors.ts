import { AttestryError } from './baseError.ts'

/** The chain changed below the blocks that the index remembers; only an operator can decide what is true. */
export class DeepReorganisationError extends AttestryError {
  override readonly code = 'REORG_TOO_DEEP'
}

/** An endpoint's answers about one block contradict each other; asked again, usually of another endpoint. */
export class InconsistentChainError extends AttestryError {
  override readonly code = 'CHAIN_INCONSISTENT'
}
