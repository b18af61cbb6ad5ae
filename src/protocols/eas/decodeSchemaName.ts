import type { Hash, Hex } from '../../model/hex.ts'
import { AbiReader } from '../abi/abiReader.ts'

/** What an attestation under "Name a Schema" says: its payload is `abi.encode(bytes32 schemaId, string name)`. */
export interface SchemaName {
  readonly schemaUid: Hash
  readonly name: string
}

/** Reads the payload of an attestation under "Name a Schema"; null when it is none. */
export function decodeSchemaName(payload: Hex): SchemaName | null {
  const reader = new AbiReader(payload)
  const schemaUid = reader.hash()
  reader.tail(reader.offset(0))
  const name = reader.string()
  return reader.finish() === null ? { schemaUid, name } : null
}
