import type { Schema, SchemaDefinition } from '../model/records.ts'
import { findProtocol } from './registry.ts'

/**
 * The definition of a schema by its protocol, from what the digest of its event covers; empty for a protocol that no
 * adapter has.
 */
export function defineSchema(schema: Schema): SchemaDefinition {
  return findProtocol(schema.protocol)?.defineSchema(schema) ?? { name: '', description: '', fields: [] }
}
