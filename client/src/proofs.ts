/**
 * Checks of proofs without a request: the same code as in `attestry check-proof`, for Node.js and browsers.
 * `verifyStateProof` verifies a proof of state from a trusted block hash; `checkProof` checks a proof of an event.
 */

export { checkProof } from '@attestry/trust/proofs/checkProof.ts'
export { parseProof } from '@attestry/trust/proofs/parseProof.ts'
export type { RecordProof } from '@attestry/core/model/recordProof.ts'
export { checkStateProof } from '@attestry/trust/stateProofs/checkStateProof.ts'
export { notProvenBy, sayOf } from '@attestry/trust/stateProofs/describeStateProof.ts'
export { isStateProofText, parseStateProof } from '@attestry/trust/stateProofs/parseStateProof.ts'
export {
  verifyStateProof,
  type TrustedState,
  type VerifiedState,
} from '@attestry/trust/stateProofs/verifyStateProof.ts'
export type { StateProof } from '@attestry/trust/stateProofs/stateProof.ts'
