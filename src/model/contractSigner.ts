import type { ChainId } from './compositeId.ts'
import type { Address, Hash, Hex } from './hex.ts'

/** A signature that an account gave, and that is none of a key: the account may be a contract (ERC-1271, ERC-6492). */
export interface ContractSignature {
  /** Null where the signed message names no chain: the account may then stand on any. */
  readonly chainId: ChainId | null
  readonly signer: Address
  readonly hash: Hash
  readonly signature: Hex
}

/** `unknown` is a chain that could not be asked; `reason` is a sentence for the client. */
export type ContractAnswer =
  | { readonly kind: 'signed' }
  | { readonly kind: 'notSigned' }
  | { readonly kind: 'unknown'; readonly reason: string }

/** Asks the account's chain, at its newest block, whether the account accepts a signature as its own. Never rejects. */
export type AskContractSigner = (question: ContractSignature) => Promise<ContractAnswer>
