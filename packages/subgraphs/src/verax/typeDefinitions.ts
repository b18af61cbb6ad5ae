import { commonTypes, entityRoots, entityTypes } from '../engine/graphNode/types.ts'
import { veraxDialect } from './dialect.ts'

/**
 * The part of the schema that graph-node makes of Verax's subgraph which the SDK and the explorer of Verax use. The SDK
 * refuses null in fields that the subgraph declares as never null, so that unknown values of these have a substitute.
 */
export function veraxTypeDefinitions(): string {
  return [furtherTypes, ...entityTypes(veraxDialect, further)].join('\n\n')
}

/** The members of types beside the fields that filters take. */
const further: Readonly<Record<string, string>> = {
  Attestation: `schema: Schema!
  portal: Portal!
  "The text of its schema; null where the registry told of no such schema."
  schemaString: String
  "null where the payload cannot be decoded by its schema."
  decodedData: [String!]
  auditInformation: AuditInformation!`,
  Schema: `"null where the registry told of no such schema."
  auditInformation: AuditInformation`,
  Portal: `"null where counting would take too long."
  attestationCounter: Int
  "null where the portal's registration is not known."
  auditInformation: AuditInformation`,
  Module: `"null where the transaction of its registration is not known."
  auditInformation: AuditInformation`,
}

const furtherTypes = `
${commonTypes('The state as of a block, by `number` or `hash`; `number_gte`: the newest state, which must have that block.')}

type Query {
  ${entityRoots(veraxDialect, 'ID', 'block: Block_height')}
  issuer(id: ID!): Issuer
  issuers(first: Int = 100, skip: Int = 0): [Issuer!]!
  registryVersion(id: ID!): RegistryVersion
  registryVersions(first: Int = 100, skip: Int = 0): [RegistryVersion!]!
  counter(id: ID!): Counter
  counters(first: Int = 100, skip: Int = 0): [Counter!]!
  _meta(block: Block_height): _Meta_
}

"The transactions that made and changed a record."
type AuditInformation {
  id: ID!
  creation: Audit!
  lastModification: Audit!
  modifications: [Audit!]!
}

type Audit {
  "The hash of the transaction."
  id: ID!
  blockNumber: BigInt!
  transactionHash: Bytes!
  transactionTimestamp: BigInt!
  "Zeros where the sender is not known."
  fromAddress: Bytes!
  "null, as the two below: the index does not keep it."
  toAddress: Bytes
  valueTransferred: BigInt
  gasPrice: BigInt
}

"Not indexed: an error."
type Issuer {
  id: ID!
}

"Not indexed: an error."
type RegistryVersion {
  id: ID!
  versionNumber: Int
  timestamp: BigInt
}

type Counter {
  id: ID!
  attestations: Int!
  modules: Int
  portals: Int!
  schemas: Int!
}
`.trim()
