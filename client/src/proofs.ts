/** Checks of proofs by computation alone: the code that the service and `attestry check-proof` run. */

export { checkProof } from '../../src/proofs/checkProof.ts'
export { parseProof } from '../../src/proofs/parseProof.ts'
export type { RecordProof } from '../../src/model/recordProof.ts'
