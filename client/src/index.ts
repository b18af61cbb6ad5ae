/** The entry of `@attestry/client`. */
export { AttestryError } from './attestryError.ts'
export type { BehindChain } from './behind.ts'
export type { ChangeEvent } from './changes.ts'
export {
  type Client,
  type ClientOptions,
  createClient,
  type GateOptions,
  type RequestOptions,
  type SignedGateOptions,
  type TypedGateOptions,
} from './createClient.ts'
export { type DecodedValues, readDecoded } from './decodedValues.ts'
export type { GatePolicy, TypedVerdict, Verdict } from './gate.ts'
export {
  type ExpectedVerdict,
  type SignedVerdict,
  type VerdictKeys,
  VerdictRefusedError,
  verifyVerdict,
} from './gate/verifyVerdict.ts'
export type { paths } from './openapi.ts'
export type {
  Attestation,
  BodyOf,
  DataOf,
  ListPath,
  ListRow,
  PageOf,
  Parameters,
  PathOfData,
  PathOfPost,
  PostedDataOf,
  StepOf,
  Schema,
} from './paths.ts'
