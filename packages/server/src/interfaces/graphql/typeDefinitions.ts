import { changeParameters } from '../events/changeParameters.ts'
import { attestationFilterParameters } from '../../pipeline/parameters/attestationFilterParameters.ts'
import { schemaFilterParameters } from '../../pipeline/parameters/schemaFilterParameters.ts'
import { formatInput } from './input/formatInput.ts'
import { asOfArgument, connectionTypes, pageFields, walkArguments } from './sharedTypes.ts'

const changeFilterDescription =
  'Members combine with and. A filter by attester, recipient or field leaves schemas out; one by schema, recipient or ' +
  'field leaves anchors out, whose attester is the account that made them.'

/**
 * The whole GraphQL schema. The first four fields are those of the original service's clients, with its names and
 * types; the rest extends them. There are object types only, no interface, no union: `compileOperation` relies on it.
 */
export const typeDefinitions = /* GraphQL */ `
"Any JSON value."
scalar JSON

type Query {
  "A schema by its composite id; null if it is not indexed."
  schema(
    "\`onchain_evm_<chain number>_0x<local id>\`"
    id: String!
    "Protocol of the record, where several have the id; else the first by name."
    protocol: String
    ${asOfArgument}
  ): Schema

  "Schemas, newest first, by page."
  pagedSchemas(
    "From 1; 0 is read as 1."
    page: Int = 1
    "1 to 100."
    size: Int = 10
    ${asOfArgument}
  ): PagedSchemas

  "An attestation by its composite id; null if it is not indexed."
  attestation(
    "\`onchain_evm_<chain number>_0x<local id>\`, or \`offchain_evm_<chain number>_<uid>\` of the store; other records of the store: /scan/attestations."
    id: String!
    "Protocol of the record, where several have the id; else the first by name."
    protocol: String
    "Signer of the off-chain record, where several accounts signed the same words."
    signer: String
    ${asOfArgument}
  ): Attestation

  "Attestations, newest first, by page."
  pagedAttestations(
    "From 1; 0 is read as 1."
    page: Int = 1
    "1 to 100."
    size: Int = 10
    ${asOfArgument}
  ): PagedAttestations

  "Attestations that pass a filter, by cursor: any slice costs as much as the first."
  attestations(
    filter: AttestationFilter
    orderBy: RecordOrder = NEWEST_FIRST
    "The number of edges behind \`after\`, 0 to 100; 10 if neither \`first\` nor \`last\` is given."
    first: Int
    after: String
    "The number of edges before \`before\`, 0 to 100."
    last: Int
    before: String
    ${asOfArgument}
  ): AttestationConnection

  "How many attestations that pass a filter have each key, by page."
  attestationGroups(
    "schema, attester, recipient, chain, protocol, revoked, day, month, or \`field[name]\` of the schema in the filter."
    by: String!
    filter: AttestationFilter
    page: Int = 1
    size: Int = 10
    ${asOfArgument}
  ): AttestationGroups

  "Off-chain anchors, newest first, by page: values that accounts noted on chain."
  anchors(
    "A uid or another hash, in any case; an id of Sign Protocol, exactly."
    value: String
    "The name of the event."
    type: String
    "The account that made it."
    account: String
    page: Int = 1
    size: Int = 10
  ): AnchorPage

  "Schemas that pass a filter, by cursor."
  schemas(
    filter: SchemaFilter
    ${walkArguments}
    ${asOfArgument}
  ): SchemaConnection

  "The records of an account; an account without records has zeros and empty lists."
  address(
    "\`0x\` and 40 hexadecimal digits in any case."
    address: String!
    ${asOfArgument}
  ): Address

  "Totals of the whole index."
  stats(${asOfArgument}): Stats

  "The indexed chains, and the freshness of each."
  chains: [Chain!]

  """
  Changes behind a cursor, oldest first, for jobs that keep a copy: ask once without \`since\`, read the records by later
  requests, then pass \`next\` as \`since\` until it stays as it is. Null where the index keeps no changes.
  """
  changes(
    filter: ChangeFilter
    "\`next\` of an earlier answer; without it, there are no rows, and \`next\` is the newest cursor."
    since: String
    "Rows of the answer at most, up to 1,000."
    size: Int = 100
  ): ChangePage
}

type ChangePage {
  rows: [Change!]!
  "The cursor for the next request."
  next: String!
  "Whether changes are missing: read the records anew, then go on from \`next\`."
  reset: Boolean!
}

type Subscription {
  """
  Each change of the index from now on, or behind \`lastEventId\`, over server-sent events (protocol of graphql-sse, distinct connections).
  """
  changes(filter: ChangeFilter, "The \`id\` of the last change that was read." lastEventId: String): Change!
}

${formatInput('ChangeFilter', changeFilterDescription, changeParameters)}

enum ChangeType {
  ATTESTATION
  REVOCATION
  SCHEMA
  "An off-chain anchor was made."
  ANCHOR
  "A reorganisation took back what \`record\`, and \`recordId\` or \`anchor\`, name."
  REVERT
  "Changes are missing here: read the records anew."
  RESET
}

enum RevertedRecord {
  ATTESTATION
  REVOCATION
  SCHEMA
  ANCHOR
}

type Change {
  type: ChangeType!
  "The place of the change, for \`lastEventId\`."
  id: String!
  "The attestation that was made or revoked."
  attestation: Attestation
  "The schema that was registered."
  schema: Schema
  "The off-chain anchor that was made or taken back."
  anchor: Anchor
  "What was taken back."
  record: RevertedRecord
  "The composite id of the record that was taken back, or whose revocation was; null for an anchor."
  recordId: String
  "The protocol of what was taken back."
  recordProtocol: String
}

"A schema. Nullable fields are null if only attestations under the schema are indexed, not the schema itself."
type Schema {
  "Composite id."
  id: String!
  mode: String!
  chainType: String!
  "Decimal chain number."
  chainId: String!
  "Local id on its chain."
  schemaId: String!
  "The transaction that registered the schema."
  transactionHash: String
  name: String!
  description: String!
  "Whether attestations under it can be revoked."
  revocable: Boolean
  "The longest validity of an attestation in seconds, 0 without limit; a uint64 as the nearest double."
  maxValidFor: Float
  "Address of the hook, all zeros without one."
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
  "The text of the schema on chain."
  originalData: String
  "What a schema of Verax refers to for its meaning, often a URL; null for other protocols."
  context: String
  "Attestations ever made under the schema."
  attestationCount: Int
  "Distinct attesters of these attestations."
  attesterCount: Int
  "When the indexer stored the record, in milliseconds."
  syncAt: String
  "Attestations under the schema."
  attestations(${walkArguments}): AttestationConnection
  "The attesters with the most attestations under the schema."
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
  "Attestations; for an address, attestations that the address made."
  attestations: Int!
  "For an address, attestations that the address received; otherwise 0."
  received: Int!
  "Schemas registered; 0 for a schema."
  schemas: Int!
}

type PagedSchemas {
  ${pageFields}
  schemas: [Schema!]!
}

type Attestation {
  "Local id on its chain."
  attestationId: String!
  "Address."
  attester: String!
  "Unix seconds."
  attestTimestamp: Float!
  "Composite id of the attestation that this one refers to; empty without one."
  linkedAttestation: String!
  "Decimal chain number."
  chainId: String!
  chainType: String!
  "The payload, \`0x\` and hexadecimal digits."
  data: String!
  "ONCHAIN, ARWEAVE, IPFS or CUSTOM; OFFCHAIN in the store."
  dataLocation: String!
  "The transaction that made the attestation."
  transactionHash: String!
  "Empty unless revoked."
  revokeTransactionHash: String!
  "Composite id."
  id: String!
  indexingValue: String!
  mode: String!
  "Addresses checksummed, other texts unchanged, other bytes as \`0x\` and hexadecimal digits."
  recipients: [String!]!
  revoked: Boolean!
  "Null unless revoked."
  revokeReason: String
  "Unix seconds; null unless revoked."
  revokeTimestamp: Float
  "The accounts whose off-chain records have the id, where they are several; else null."
  signers: [String!]
  schema: Schema!
  "Unix seconds, 0 without expiry; a uint64 as the nearest double."
  validUntil: Float!

  "Whether the attestation itself can be revoked; null: as its schema says."
  revocable: Boolean
  "Address of the portal of Verax that it was made through; null for other protocols."
  portal: String
  "The name of the portal; null where it is not known."
  portalName: String
  "The account that registered the portal; null where it is not known."
  portalOwner: String
  "The name of the owner of the portal; null where it is not known."
  portalOwnerName: String
  "Local id of the schema."
  schemaId: String!
  "Composite id of the schema."
  fullSchemaId: String!
  protocol: String!
  "When the indexer stored the record, in milliseconds."
  syncAt: String!
  "When the indexer last changed the record, in milliseconds; null unless revoked."
  lastSyncAt: String
  "The payload decoded by the fields of the schema; null if it cannot be decoded."
  decodedData: [DecodedValue!]
  "Why \`decodedData\` is null."
  decodedDataError: String
  "The attestation that \`linkedAttestation\` names; null if it is not indexed."
  linkedRecord: Attestation
  "Attestations that refer to this one."
  referencedBy(${walkArguments}): AttestationConnection
}

type DecodedValue {
  name: String!
  "The type in the schema's spelling."
  type: String!
  "Text, true or false, or a list; integers are decimal digits, a tuple is a list of {name, type, value}."
  value: JSON!
}

type PagedAttestations {
  ${pageFields}
  attestations: [Attestation!]!
}

enum RecordOrder {
  NEWEST_FIRST
  OLDEST_FIRST
}

enum ContentState {
  verified
  unverified
  mismatch
  missing
  refused
  pending
}

enum DataLocation {
  ONCHAIN
  ARWEAVE
  IPFS
  CUSTOM
}

${formatInput('AttestationFilter', 'Members combine with and.', attestationFilterParameters)}

"A condition on a field of the decoded payload, or several: one of the field's values must fulfil each of them."
input FieldFilter {
  "The name as the schema has it; members of a tuple behind dots, a backslash before a dot, bracket or backslash of a name."
  name: String!
  equals: String
  "1 to 100 values."
  in: [String!]
  "Of integers, which are decimal digits."
  gt: String
  gte: String
  lt: String
  lte: String
  "Of strings; case matters."
  contains: String
  startsWith: String
}

${formatInput('SchemaFilter', 'Members combine with and.', schemaFilterParameters)}

${connectionTypes('Attestation')}

type AnchorPage {
  ${pageFields}
  rows: [Anchor!]!
}

type Anchor {
  "The name of the event in the protocol's contract."
  type: String!
  protocol: String!
  chainId: String!
  value: String!
  "Null where the event names nobody."
  account: String
  "Of its block, in Unix seconds."
  timestamp: Float!
  blockNumber: Float!
  transactionHash: String!
  "Empty where the event has none."
  reason: String!
}

type AttestationGroups {
  "Attestations that pass the filter."
  total: Int!
  "Keys that these attestations have."
  groups: Int!
  page: Int!
  size: Int!
  "By count, greatest first, then by key; days and months newest first."
  rows: [AttestationGroup!]!
}

type AttestationGroup {
  "A composite id, a checksummed address or another recipient, a number or name, \`2026-11-21\`, \`2026-11\`."
  key: String!
  "Of a schema: protocols may have the same id."
  protocol: String
  count: Int!
}

${connectionTypes('Schema')}

"""
A filter that excludes very many rows may end a slice early: with fewer edges than requested, \`hasNextPage\` true, and an
\`endCursor\` to continue from.
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
  "Distinct attestations that the address made or received."
  totalAttestations: Int!
  attestationCreated: Int!
  attestationReceived: Int!
  "Schemas that the address registered."
  schemas(${walkArguments}): SchemaConnection
  "Attestations that the address made or received, by page."
  attestations(page: Int = 1, size: Int = 10): PagedAttestations
  "Attestations that the address made."
  created(${walkArguments}): AttestationConnection
  "Attestations that the address received."
  received(${walkArguments}): AttestationConnection
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
The prefixes of a block explorer's links: append the address, transaction hash or block number.
"""
type ExplorerLinks {
  address: String!
  transaction: String!
  block: String!
}

type Deployment {
  protocol: String!
  "The name by which people know it: its own, such as BAS, or that of the protocol."
  name: String!
  "The contract that makes attestations."
  address: String!
  "The block from which on it is indexed."
  startBlock: Int!
}

type Chain {
  chainId: String!
  name: String!
  "The block explorer of the chain; null if none is known."
  explorer: ExplorerLinks
  protocols: [String!]!
  "The contracts whose events are indexed on it."
  deployments: [Deployment!]!
  "starting, backfilling, following, retrying, stopped or paused."
  phase: String!
  "The newest block that an endpoint reported; null until one answered."
  headBlock: Float
  headTimestamp: Float
  "subscription or polling: how new heads are heard of."
  headSource: String!
  "The newest block whose events are in the index; null before the first."
  indexedBlock: Float
  indexedTimestamp: Float
  "The percentage of its published events that are indexed, while it is read from chunks; null otherwise."
  fromChunks: Int
  "Blocks, and seconds of the chain's time, between the head and the index."
  lagBlocks: Float
  lagSeconds: Float
  "Whether the index has been at the head since the indexer started."
  reachedHead: Boolean!
  eventsPerSecond: Float!
  "The current error in one sentence; null without one."
  lastError: String
  "When an indexer last reported the chain's state, in milliseconds; null if no indexer has run."
  updatedAt: String
  schemaCount: Int!
  attestationCount: Int!
  revocationCount: Int!
  "Logs that could not be decoded."
  undecodableCount: Int!
  "Attestations whose decoded fields are still to be indexed."
  fieldsPending: Int!
  "Off-chain anchors by the name of their event."
  anchorCounts: JSON!
  "Equal in two indexes of the same contracts that hold the same up to its block."
  digest: ChainDigest!
}

type ChainDigest {
  "Digests of different versions cannot be compared."
  version: Int!
  "The block up to which it counts events; null while nothing is indexed."
  blockNumber: Float
  "How many events it counts."
  eventCount: Float!
  "The sum of the hashes of the events, in hexadecimal."
  value: String!
}
`
