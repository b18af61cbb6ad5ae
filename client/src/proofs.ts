/** Checks of proofs without a request: the same code as in `attestry check-proof`. */

export { checkProof } from '@attestry/trust/proofs/checkProof.ts'
export { parseProof } from '@attestry/trust/proofs/parseProof.ts'
export type { RecordProof } from '@attestry/core/model/recordProof.ts'
