import { filterType, listArguments as argumentsOfList, orderType } from '../engine/graphNode/types.ts'
import { fieldsOfEntity, relatedEntities, type VeraxEntity } from './models.ts'

/**
 * The part of the schema that graph-node makes of Verax's subgraph which the SDK and the explorer of Verax use. The SDK
 * refuses null in fields that the subgraph declares as never null, so that unknown values of these have a substitute.
 */
export function veraxTypeDefinitions(): string {
  return [
    objectTypes,
    ...entities.map((entity) =>
      filterType(entity, fieldsOfEntity(entity), entity === 'Attestation' ? relatedEntities : {}),
    ),
    ...entities.map((entity) => orderType(entity, Object.keys(fieldsOfEntity(entity)))),
  ].join('\n\n')
}

const entities: readonly VeraxEntity[] = ['Attestation', 'Schema', 'Portal', 'Module']

const listArguments = (entity: VeraxEntity) => `${argumentsOfList(entity)}, block: Block_height`

const objectTypes = `
scalar Bytes
scalar BigInt

enum OrderDirection {
  asc
  desc
}

"The state as of a block, by \`number\` or \`hash\`; \`number_gte\`: the newest state, which must have that block."
input Block_height {
  hash: Bytes
  number: Int
  number_gte: Int
}

type Query {
  attestation(id: ID!, block: Block_height): Attestation
  attestations(${listArguments('Attestation')}): [Attestation!]!
  schema(id: ID!, block: Block_height): Schema
  schemas(${listArguments('Schema')}): [Schema!]!
  portal(id: ID!, block: Block_height): Portal
  portals(${listArguments('Portal')}): [Portal!]!
  module(id: ID!, block: Block_height): Module
  modules(${listArguments('Module')}): [Module!]!
  issuer(id: ID!): Issuer
  issuers(first: Int = 100, skip: Int = 0): [Issuer!]!
  registryVersion(id: ID!): RegistryVersion
  registryVersions(first: Int = 100, skip: Int = 0): [RegistryVersion!]!
  counter(id: ID!): Counter
  counters(first: Int = 100, skip: Int = 0): [Counter!]!
  _meta(block: Block_height): _Meta_
}

type Attestation {
  id: ID!
  schema: Schema!
  "The attestation that replaced it; zeros where none did."
  replacedBy: Bytes!
  attester: Bytes!
  portal: Portal!
  attestedDate: BigInt!
  expirationDate: BigInt!
  revocationDate: BigInt!
  "That of the registry when it made the attestation; zero where it is not known."
  version: BigInt!
  revoked: Boolean!
  "An address, or the bytes of any other subject."
  subject: Bytes!
  "The bytes as they were attested."
  encodedSubject: Bytes!
  attestationData: Bytes!
  "null where the payload cannot be decoded by its schema."
  decodedData: [String!]
  auditInformation: AuditInformation!
}

type Schema {
  id: ID!
  "Empty, as all texts are, where the registry told of no such schema."
  name: String!
  description: String!
  context: String!
  schema: String!
  attestationCounter: Int!
  "null where the registry told of no such schema."
  auditInformation: AuditInformation
}

type Portal {
  id: ID!
  "Zeros where the portal's registration is not known; the texts are empty then."
  ownerAddress: Bytes!
  "null where they are not known."
  modules: [Bytes!]
  "false where it is not known."
  isRevocable: Boolean!
  name: String!
  description: String!
  ownerName: String!
  "null where counting would take too long."
  attestationCounter: Int
  "null where the portal's registration is not known."
  auditInformation: AuditInformation
}

type Module {
  id: ID!
  moduleAddress: Bytes!
  name: String!
  description: String!
  "null where the transaction of its registration is not known."
  auditInformation: AuditInformation
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

type _Meta_ {
  block: _Block_!
  "A name for the records of this protocol on this chain."
  deployment: String!
  hasIndexingErrors: Boolean!
}

type _Block_ {
  number: Int!
  "Unix seconds; null while it is not known."
  timestamp: Int
  "null, as below: the interface does not tell it."
  hash: Bytes
  parentHash: Bytes
}
`.trim()
