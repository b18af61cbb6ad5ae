import type { GraphNodeField } from '../engine/graphNode/types.ts'

/** Ids are `hex`: to graph-node they are texts. */
const id = { scalar: 'ID', kind: 'hex' } as const
const bytes = { scalar: 'Bytes', kind: 'bytes' } as const
/** A filter takes the id of the related record as a string. */
const reference = { scalar: 'String', kind: 'hex' } as const
const text = { scalar: 'String', kind: 'text' } as const
const time = { scalar: 'BigInt', kind: 'int' } as const

/**
 * The fields that filters and orders take, by the entities of Verax's subgraph. Input types are generated from them,
 * under the names that graph-node gives, because operations of clients hold these names.
 */
const veraxFields = {
  Attestation: {
    id,
    schema: reference,
    replacedBy: bytes,
    attester: bytes,
    portal: reference,
    attestedDate: time,
    expirationDate: { scalar: 'BigInt', kind: 'uint64' },
    revocationDate: time,
    version: time,
    revoked: { scalar: 'Boolean', kind: 'bool' },
    subject: bytes,
    encodedSubject: bytes,
    attestationData: bytes,
  },
  Schema: {
    id,
    name: text,
    description: text,
    context: text,
    schema: text,
    attestationCounter: { scalar: 'Int', kind: 'int' },
  },
  Portal: {
    id,
    ownerAddress: bytes,
    modules: { scalar: 'Bytes', kind: 'bytesList' },
    isRevocable: { scalar: 'Boolean', kind: 'bool' },
    name: text,
    description: text,
    ownerName: text,
  },
  Module: { id, moduleAddress: bytes, name: text, description: text },
} as const satisfies Readonly<Record<string, Readonly<Record<string, GraphNodeField>>>>

export type VeraxEntity = keyof typeof veraxFields

export function fieldsOfEntity(entity: VeraxEntity): Readonly<Record<string, GraphNodeField>> {
  return veraxFields[entity]
}

/** The entities that a filter of attestations reaches by `schema_` and `portal_`. */
export const relatedEntities: Readonly<Record<string, VeraxEntity>> = {
  schema_: 'Schema',
  portal_: 'Portal',
}
