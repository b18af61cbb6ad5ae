import { declareFields } from '../engine/graphNode/entity.ts'

/** Declares a field of agent0lab's subgraph. Filters take ids and bytes as texts. */
export const field = declareFields({
  ID: ['String', 'text'],
  Bytes: ['String', 'hex'],
  String: ['String', 'text'],
  BigInt: ['BigInt', 'number'],
  BigDecimal: ['BigDecimal', 'number'],
  Int: ['Int', 'number'],
  Boolean: ['Boolean', 'bool'],
  ValidationStatus: ['ValidationStatus', 'enum'],
  '[String!]': ['String', 'texts'],
  '[Bytes!]': ['String', 'texts'],
})
