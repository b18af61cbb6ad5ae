/** Checks of proofs without a request: the same code as in `attestry check-proof`. */

export { checkProof } from '../../src/proofs/checkProof.ts'
export { parseProof } from '../../src/proofs/parseProof.ts'
export type { RecordProof } from '../../src/model/recordProof.ts'
