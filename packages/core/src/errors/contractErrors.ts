import { AttestryError } from './baseError.ts'

/** A configured address whose first block was searched has no contract. `facts.address` is the address. */
export class ContractMissingError extends AttestryError {
  override readonly code = 'CONTRACT_MISSING'
}
