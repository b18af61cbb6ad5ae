import { declareFields, keyField, type GraphNodeField } from '../engine/graphNode/entity.ts'
import type { VeraxContext } from './veraxContext.ts'

/** Declares a field of Verax's subgraph. Ids are texts to graph-node, and bytes as well. */
export const field = declareFields({
  ID: ['ID', 'bytesId'],
  Bytes: ['Bytes', 'bytes'],
  String: ['String', 'text'],
  BigInt: ['BigInt', 'whole'],
  Int: ['Int', 'whole'],
  Boolean: ['Boolean', 'bool'],
  '[Bytes!]': ['Bytes', 'bytesList'],
})

/** The field with the name of a relation. A filter takes the id of the related record as a string. */
export function idOf<Row>(value: (row: Row) => string): GraphNodeField<Row, VeraxContext> {
  return keyField(value, 'bytesId')
}
