import made from './privateProofs.json' with { type: 'json' }

/**
 * Multiproofs of a tree of private data, as `PrivateData` of `@ethereum-attestation-service/eas-sdk` 2.10.0 makes them:
 * `new PrivateData(values).generateMultiProof(indexes)`, written as JSON with bigints as text. They are kept, since the
 * SDK's library of Merkle trees is not installed here.
 */
export interface PrivateProofVector {
  leaves: Record<string, unknown>[]
  proof: string[]
  proofFlags: boolean[]
}

/** The names of the values in the tree, by their indexes. */
export const privateValues: readonly string[] = ['name', 'born', 'account', 'member', 'note']

export const privateRoot = made.root

/** The proof of the one value of another tree. */
export const singleProof: { readonly root: string; readonly proof: PrivateProofVector } = {
  root: made.singleRoot,
  proof: made.single,
}

/** The proof of the values at the indexes. */
export function findPrivateProof(indexes: readonly number[]): PrivateProofVector {
  const found = made.proofs.find((each) => String(each.indexes) === String(indexes))
  if (found === undefined) throw new RangeError(`no proof of the values ${String(indexes)} was made`)
  return found.proof
}
