/**
 * The whole schema of GraphQL. The four fields that clients of the original service use stand first, with its names and types; the rest is
 * beyond it. There are object types only, no interface, no union: `compileOperation` counts on it.
 */
export const typeDefinitions = /* GraphQL */ `
"Any JSON value."
scalar JSON

type Query {
  "A schema by its composite id; null where none is indexed."
  schema("\`onchain_evm_<chain number>_0x<local id>\`" id: String!): Schema

  "Schemas, newest first, by page."
  pagedSchemas(
    "From 1; 0 is read as 1."
    page: Int = 1
    "1 to 100."
    size: Int = 10
  ): PagedSchemas

  "An attestation by its composite id; null where none is indexed."
  attestation("\`onchain_evm_<chain number>_0x<local id>\`" id: String!): Attestation

  "Attestations, newest first, by page."
  pagedAttestations(
    "From 1; 0 is read as 1."
    page: Int = 1
    "1 to 100."
    size: Int = 10
  ): PagedAttestations

  "Attestations that pass a filter, by cursor: any slice costs as much as the first."
  attestations(
    filter: AttestationFilter
    orderBy: RecordOrder = NEWEST_FIRST
    "The first so many behind \`after\`, 0 to 100; 10 where neither \`first\` nor \`last\` is given."
    first: Int
    after: String
    "The last so many before \`before\`, 0 to 100."
    last: Int
    before: String
  ): AttestationConnection

  "Schemas that pass a filter, by cursor."
  schemas(
    filter: SchemaFilter
    orderBy: RecordOrder = NEWEST_FIRST
    first: Int
    after: String
    last: Int
    before: String
  ): SchemaConnection

  "What the index knows of an account; one that nothing mentions has zeros and empty lists."
  address("\`0x\` and 40 hexadecimal digits in any case." address: String!): Address

  "Totals of the whole index."
  stats: Stats

  "The chains that are indexed, and how fresh each is."
  chains: [Chain!]
}

"A schema. Fields that may be null are so where only attestations under it are indexed, not the schema itself."
type Schema {
  "Composite id."
  id: String!
  mode: String!
  chainType: String!
  "Decimal chain number."
  chainId: String!
  "Local id on its chain."
  schemaId: String!
  "The transaction that registered it."
  transactionHash: String
  name: String!
  description: String!
  "Whether attestations under it can be revoked."
  revocable: Boolean
  "Seconds that an attestation may stay valid, 0 for ever; a uint64 as the nearest double."
  maxValidFor: Float
  "Address of the hook, all zeros for none."
  resolver: String
  "Unix seconds."
  registerTimestamp: Float
  "Address."
  registrant: String
  "The fields as a JSON-encoded array of {name, type}."
  data: String!

  "The same fields as objects."
  fields: [SchemaField!]!
  protocol: String
  "The text of the schema as it stands on chain."
  originalData: String
  "Attestations ever made under it."
  attestationCount: Int
  "Distinct attesters of those."
  attesterCount: Int
  "When the indexer stored it, in milliseconds."
  syncAt: String
  "Attestations under it."
  attestations(
    orderBy: RecordOrder = NEWEST_FIRST
    first: Int
    after: String
    last: Int
    before: String
  ): AttestationConnection
  "Those who attested most under it."
  topAttesters("1 to 100." limit: Int = 10): [TopAttester!]
  "Attestations by UTC day: the newest \`days\` days with any, oldest first."
  activity("1 to 1000." days: Int = 30): [ActivityDay!]
}

type SchemaField {
  name: String!
  type: String!
}

type TopAttester {
  address: String!
  count: Int!
}

"Counts of one UTC day."
type ActivityDay {
  "\`2026-11-21\`"
  date: String!
  "The day's first second, Unix time."
  timestamp: Float!
  "Attestations; of an address, those that it made."
  attestations: Int!
  "Of an address, the attestations that it received; else 0."
  received: Int!
  "Schemas registered; 0 for a schema."
  schemas: Int!
}

type PagedSchemas {
  total: Int!
  page: Int!
  size: Int!
  schemas: [Schema!]!
}

type Attestation {
  "Local id on its chain."
  attestationId: String!
  "Address."
  attester: String!
  "Unix seconds."
  attestTimestamp: Float!
  "Composite id of the attestation that this one refers to, empty where there is none."
  linkedAttestation: String!
  "Decimal chain number."
  chainId: String!
  chainType: String!
  "The payload, \`0x\` and hexadecimal digits."
  data: String!
  "ONCHAIN, ARWEAVE, IPFS or CUSTOM."
  dataLocation: String!
  "The transaction that made it."
  transactionHash: String!
  "Empty unless revoked."
  revokeTransactionHash: String!
  "Composite id."
  id: String!
  indexingValue: String!
  mode: String!
  "Addresses checksummed, other texts as they are, other bytes as \`0x\` and hexadecimal digits."
  recipients: [String!]!
  revoked: Boolean!
  "Null unless revoked."
  revokeReason: String
  "Unix seconds; null unless revoked."
  revokeTimestamp: Float
  schema: Schema!
  "Unix seconds, 0 for ever; a uint64 as the nearest double."
  validUntil: Float!

  "Local id of its schema."
  schemaId: String!
  "Composite id of its schema."
  fullSchemaId: String!
  protocol: String!
  "When the indexer stored it, in milliseconds."
  syncAt: String!
  "When the indexer last changed it, in milliseconds; null unless revoked."
  lastSyncAt: String
  "What the payload says by the fields of its schema; null where that cannot be told."
  decodedData: [DecodedValue!]
  "Why \`decodedData\` is null."
  decodedDataError: String
  "The attestation that \`linkedAttestation\` names, where it is indexed."
  linkedRecord: Attestation
  "Attestations that refer to this one."
  referencedBy(
    orderBy: RecordOrder = NEWEST_FIRST
    first: Int
    after: String
    last: Int
    before: String
  ): AttestationConnection
}

type DecodedValue {
  name: String!
  "The type as the schema writes it."
  type: String!
  "Text, true or false, or a list; integers are decimal digits, a tuple is a list of {name, type, value}."
  value: JSON!
}

type PagedAttestations {
  total: Int!
  page: Int!
  size: Int!
  attestations: [Attestation!]!
}

enum RecordOrder {
  NEWEST_FIRST
  OLDEST_FIRST
}

enum DataLocation {
  ONCHAIN
  ARWEAVE
  IPFS
  CUSTOM
}

"All that is given must hold. Times are Unix seconds."
input AttestationFilter {
  "Composite id of the schema."
  schemaId: String
  "Address."
  attester: String
  "An address, or the text of a recipient that is none."
  recipient: String
  "Decimal chain number."
  chainId: String
  protocol: String
  revoked: Boolean
  "Expired, or not, at the moment of the request."
  expired: Boolean
  "Made by then, and neither expired nor revoked then."
  validAt: Float
  "Made then or later."
  attestedFrom: Float
  "Made before."
  attestedBefore: Float
  "Composite id of the attestation that is referred to."
  linkedAttestation: String
  indexingValue: String
  dataLocation: DataLocation
}

"All that is given must hold. Times are Unix seconds."
input SchemaFilter {
  "Address."
  registrant: String
  "Address."
  resolver: String
  "Decimal chain number."
  chainId: String
  protocol: String
  revocable: Boolean
  "Registered then or later."
  registeredFrom: Float
  "Registered before."
  registeredBefore: Float
}

type AttestationConnection {
  "All that pass the filter, wherever the slice begins."
  totalCount: Int
  edges: [AttestationEdge!]
  nodes: [Attestation!]
  pageInfo: PageInfo
}

type AttestationEdge {
  cursor: String!
  node: Attestation!
}

type SchemaConnection {
  "All that pass the filter, wherever the slice begins."
  totalCount: Int
  edges: [SchemaEdge!]
  nodes: [Schema!]
  pageInfo: PageInfo
}

type SchemaEdge {
  cursor: String!
  node: Schema!
}

"""
A filter that leaves out very many rows may end a slice early: with fewer edges than were asked for, \`hasNextPage\` true, and an
\`endCursor\` to go on from.
"""
type PageInfo {
  hasNextPage: Boolean!
  hasPreviousPage: Boolean!
  startCursor: String
  endCursor: String
}

type Address {
  "Checksummed."
  address: String!
  schemaCreated: Int!
  "Distinct attestations that it made or received."
  totalAttestations: Int!
  attestationCreated: Int!
  attestationReceived: Int!
  "Schemas that it registered."
  schemas(
    orderBy: RecordOrder = NEWEST_FIRST
    first: Int
    after: String
    last: Int
    before: String
  ): SchemaConnection
  "Attestations that it made or received, by page."
  attestations(page: Int = 1, size: Int = 10): PagedAttestations
  "Attestations that it made."
  created(
    orderBy: RecordOrder = NEWEST_FIRST
    first: Int
    after: String
    last: Int
    before: String
  ): AttestationConnection
  "Attestations of which it is a recipient."
  received(
    orderBy: RecordOrder = NEWEST_FIRST
    first: Int
    after: String
    last: Int
    before: String
  ): AttestationConnection
  "Counts by UTC day: the newest \`days\` days with any, oldest first."
  activity("1 to 1000." days: Int = 30): [ActivityDay!]
}

type Stats {
  schemaCount: Int!
  attestationCount: Int!
  revocationCount: Int!
  "The same by chain and protocol."
  protocols: [ProtocolTotals!]!
  "Counts by UTC day: the newest \`days\` days with any, oldest first."
  activity("1 to 1000." days: Int = 30): [ActivityDay!]
}

type ProtocolTotals {
  chainId: String!
  protocol: String!
  schemaCount: Int!
  attestationCount: Int!
  revocationCount: Int!
}

"""
The beginnings of a block explorer's links: the address, transaction hash or block number goes behind.
"""
type ExplorerLinks {
  address: String!
  transaction: String!
  block: String!
}

type Chain {
  chainId: String!
  name: String!
  "The block explorer of the chain; null where none is known."
  explorer: ExplorerLinks
  protocols: [String!]!
  "starting, backfilling, following, retrying, stopped or paused."
  phase: String!
  "The newest block that an endpoint reported; null until one answered."
  headBlock: Float
  headTimestamp: Float
  "The newest block whose events are in the index; null before the first."
  indexedBlock: Float
  indexedTimestamp: Float
  "Blocks, and seconds of the chain's own time, between the two."
  lagBlocks: Float
  lagSeconds: Float
  "Whether the index has been at the head since the indexer started."
  reachedHead: Boolean!
  eventsPerSecond: Float!
  "One sentence; null while all is well."
  lastError: String
  "When an indexer last reported the state of the chain, in milliseconds; null while none has run."
  updatedAt: String
  schemaCount: Int!
  attestationCount: Int!
  revocationCount: Int!
  "Logs that no rule could read."
  undecodableCount: Int!
  "Off-chain anchors by the name of their event."
  anchorCounts: JSON!
}
`
