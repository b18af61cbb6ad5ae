import type { paths } from './openapi.ts'
import type { BodyOf, PostedDataOf } from './paths.ts'

/** The name of a policy of the index, or a policy itself. */
export type GatePolicy = BodyOf<'/scan/gate'>['policy']

type GateAnswer = PostedDataOf<'/scan/gate'>

/** Whether a policy lets an address through, which records decided, why, and in which state of the index. */
export type Verdict = GateAnswer['rows'][number] & Omit<GateAnswer, 'rows'>

/** Typed data that a contract checks, or a verdict with a `signature` of null. */
export type TypedVerdict =
  paths['/scan/gate']['post']['responses'][200]['content']['application/vnd.attestry.eip712+json']
