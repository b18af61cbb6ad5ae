import type { BodyOf, PostedDataOf } from './paths.ts'

/** The name of a policy of the index, or a policy itself. */
export type GatePolicy = BodyOf<'/scan/gate'>['policy']

type GateAnswer = PostedDataOf<'/scan/gate'>

/** Whether a policy lets an address through, which records decided, why, and in which state of the index. */
export type Verdict = GateAnswer['rows'][number] & Omit<GateAnswer, 'rows'>
