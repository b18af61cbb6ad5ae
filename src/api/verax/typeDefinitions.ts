import { fieldsOfEntity, relatedEntities, type VeraxEntity, type VeraxFieldKind } from './models.ts'

/**
 * The part of the schema that graph-node makes of Verax's subgraph which the SDK and the explorer of Verax use. The SDK
 * refuses null in fields that the subgraph declares as never null, so that unknown values of these have a substitute.
 */
export function veraxTypeDefinitions(): string {
  return [objectTypes, ...entities.map(filterType), ...entities.map(orderType)].join('\n\n')
}

const entities: readonly VeraxEntity[] = ['Attestation', 'Schema', 'Portal', 'Module']

const comparisons = ['_gt', '_lt', '_gte', '_lte']
const patterns = ['contains', 'starts_with', 'ends_with'].flatMap((name) =>
  [`_${name}`, `_not_${name}`].flatMap((operator) => [operator, `${operator}_nocase`]),
)

/** The suffixes of the filters of a field that take one value. */
function operatorsOf(kind: VeraxFieldKind): readonly string[] {
  if (kind === 'bool') return ['', '_not']
  return ['', '_not', ...comparisons, ...(kind === 'int' || kind === 'uint64' ? [] : patterns)]
}

function filterType(entity: VeraxEntity): string {
  const members = Object.entries(fieldsOfEntity(entity)).flatMap(([name, { scalar, kind }]) => [
    ...operatorsOf(kind).map((operator) => `${name}${operator}: ${scalar}`),
    ...['_in', '_not_in'].map((operator) => `${name}${operator}: [${scalar}!]`),
  ])
  const related = Object.entries(relatedEntities).map(([name, of]) => `${name}: ${of}_filter`)
  const groups = ['and', 'or'].map((name) => `${name}: [${entity}_filter]`)
  const all = [...members, ...(entity === 'Attestation' ? related : []), ...groups]
  return `input ${entity}_filter {\n  ${all.join('\n  ')}\n}`
}

function orderType(entity: VeraxEntity): string {
  return `enum ${entity}_orderBy {\n  ${Object.keys(fieldsOfEntity(entity)).join('\n  ')}\n}`
}

const listArguments = (entity: string) =>
  `first: Int = 100, skip: Int = 0, where: ${entity}_filter, orderBy: ${entity}_orderBy, orderDirection: OrderDirection`

const objectTypes = `
scalar Bytes
scalar BigInt

enum OrderDirection {
  asc
  desc
}

type Query {
  attestation(id: ID!): Attestation
  attestations(${listArguments('Attestation')}): [Attestation!]!
  schema(id: ID!): Schema
  schemas(${listArguments('Schema')}): [Schema!]!
  portal(id: ID!): Portal
  portals(${listArguments('Portal')}): [Portal!]!
  module(id: ID!): Module
  modules(${listArguments('Module')}): [Module!]!
  issuer(id: ID!): Issuer
  issuers(first: Int = 100, skip: Int = 0): [Issuer!]!
  registryVersion(id: ID!): RegistryVersion
  registryVersions(first: Int = 100, skip: Int = 0): [RegistryVersion!]!
  counter(id: ID!): Counter
  counters(first: Int = 100, skip: Int = 0): [Counter!]!
  _meta: _Meta_
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
  "Zero: the index does not keep it."
  version: BigInt!
  revoked: Boolean!
  "An address, or the bytes of any other subject."
  subject: Bytes!
  "An address in 20 bytes, even where it was attested in 32."
  encodedSubject: Bytes!
  attestationData: Bytes!
  "null where the payload cannot be decoded by its schema."
  decodedData: [String!]
}

type Schema {
  id: ID!
  "Empty, as all texts are, where the registry told of no such schema."
  name: String!
  description: String!
  context: String!
  schema: String!
  attestationCounter: Int!
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
}

type Module {
  id: ID!
  moduleAddress: Bytes!
  name: String!
  description: String!
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
  hasIndexingErrors: Boolean!
}

type _Block_ {
  number: Int!
  "Unix seconds; null while it is not known."
  timestamp: Int
}
`.trim()
