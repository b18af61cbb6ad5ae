import { AttestryError } from './baseError.ts'

/** No contract stands at a configured address whose first block was to be found. `facts.address` is the address. */
export class ContractMissingError extends AttestryError {
  override readonly code = 'CONTRACT_MISSING'
}
