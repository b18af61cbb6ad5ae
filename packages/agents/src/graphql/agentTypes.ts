import {
  connectionTypes,
  pageFields,
  walkArguments,
} from '@attestry/server/interfaces/graphql/sharedTypes.ts'

/** The part of the schema about agents of ERC-8004, whose members are those of the REST interface. */
export const agentTypes = /* GraphQL */ `
extend type Query {
  "An agent of ERC-8004 by its id; null if it is not indexed."
  agent(
    "\`eip155:<chain number>:<registry>/<agent number>\`, or \`<chain number>:<agent number>\`"
    id: String!
  ): Agent

  "Agents of ERC-8004 that pass a filter, by cursor; ordered by the block of their first event."
  agents(filter: AgentFilter, ${walkArguments}): AgentConnection
}

"Members combine with and."
input AgentFilter {
  "Address."
  owner: String
  "Decimal chain number."
  chainId: String
  "Whether the registration says that the agent is active; those that say nothing are neither."
  active: Boolean
  hasFeedback: Boolean
  "Part of a name or description."
  keyword: String
  "A service of the registration by its exact name, such as MCP."
  service: String
  "A skill, domain or model of trust of the registration, exactly."
  capability: String
}

${connectionTypes('Agent')}

"Unknown texts are empty."
type Agent {
  "\`eip155:<chain number>:<registry>/<agent number>\`"
  id: String!
  "Decimal chain number."
  chainId: String!
  "Decimal number of the agent in its registry; a uint256."
  agentId: String!
  "The account that owns the agent; empty where no event has told of an owner."
  owner: String!
  "The wallet of the agent; a transfer empties it."
  wallet: String!
  "Where the registration is."
  uri: String!
  """
  none: there is no URI. read: it holds the registration. Where content is fetched, the state of the registration that it
  points to: verified, unverified, mismatch, missing, refused or pending; elsewhere unread.
  """
  uriState: String!
  "Why the registration is not known."
  uriReason: String!
  name: String!
  description: String!
  image: String!
  "Null where the registration does not say."
  active: Boolean
  endpoints: [AgentEndpoint!]!
  "Whether the agent takes payments by x402; null where the registration does not say."
  x402: Boolean
  "Models of trust that the registration says the agent supports."
  trusts: [String!]!
  "Skills of its OASF service."
  skills: [String!]!
  "Domains of its OASF service."
  domains: [String!]!
  "Unix seconds."
  registeredTimestamp: Float!
  "Unix seconds."
  updatedTimestamp: Float!
  "The transaction of the first event."
  transactionHash: String!
  "All feedback, revoked or not."
  feedbackCount: Int!
  "Clients that gave feedback, revoked or not."
  reviewerCount: Int!
  revokedCount: Int!
  "Responses to its feedback."
  responseCount: Int!
  "Events of the registry of identities."
  versionCount: Int!
  "The first 256 keys in the order of their newest values."
  metadata: [AgentMetadata!]
  "The registration file; null unless \`uriState\` is read, verified or unverified."
  registration: JSON
  "The did:web identifiers of the URI and of the endpoints, with the addresses under which attestations name them."
  didAddresses: [AgentDid!]!
  "The feedback for the agent, newest first, by page."
  feedback(
    "The account that gave it."
    client: String
    tag1: String
    tag2: String
    revoked: Boolean
    "Only feedback of reviewers that this policy of the server lets through."
    by: String
    page: Int = 1
    size: Int = 10
  ): AgentFeedbackPage
  "What the feedback that is not revoked adds up to."
  reputation("Also of reviewers that this policy of the server lets through." by: String): AgentReputation
  "What \`getSummary\` of the registry returns for the feedback of up to 250 clients; one that is named twice counts twice."
  summary(
    clients: [String!]!
    "Exactly this first tag; empty: any."
    tag1: String
    tag2: String
  ): AgentSummary
  "The responses to the feedback, newest first, by page."
  responses(page: Int = 1, size: Int = 10): AgentResponsePage
  "The responses of validators, which are attestations."
  validations(${walkArguments}): AttestationConnection
  "The versions of the agent, newest first, by page."
  history(page: Int = 1, size: Int = 10): AgentVersionPage
}

type AgentSummary {
  "Feedback of these clients with these tags that is not revoked."
  count: Int!
  "Their average times 10 to the power of valueDecimals; \`overflow\` where the registry would wrap or revert."
  value: String!
  "The most frequent number of decimals, the least of equally frequent ones."
  valueDecimals: Int!
}

type AgentEndpoint {
  "What the endpoint speaks, such as MCP or A2A."
  name: String!
  endpoint: String!
  version: String!
}

type AgentMetadata {
  key: String!
  "\`0x\` and hexadecimal digits."
  value: String!
}

type AgentDid {
  did: String!
  "The last 20 bytes of its keccak256."
  address: String!
}

type AgentFeedbackPage {
  ${pageFields}
  rows: [AgentFeedback!]!
  "What the policy left out; null without \`by\`."
  by: AgentJudgement
}

type AgentFeedback {
  "The record: its attester is the client, its revocation that of the feedback."
  attestation: Attestation!
  "Decimal text, with its decimals applied; null where the payload cannot be decoded."
  value: String
  tag1: String!
  tag2: String!
  endpoint: String!
  feedbackURI: String!
  feedbackHash: String!
  "Its number among the feedback of the client for the agent, from 1."
  feedbackIndex: String!
  responseCount: Int!
  "The attestation of EAS that the feedback points to; null unless \`tag1\` is eas."
  eas: EasReference
}

type EasReference {
  "Composite id of the attestation; empty where \`tag2\` is no reference."
  id: String!
  "valid, revoked, expired, or unknown where it is not indexed."
  status: String!
  "What does not fit the feedback, in words; empty if all does."
  mismatch: String!
}

type AgentJudgement {
  policy: String!
  "SHA-256 of the policy as canonical JSON."
  policyHash: String!
  "Feedback of reviewers that the policy denies."
  leftOut: Int!
  "Feedback of reviewers of whom the policy cannot tell; left out as well."
  unknown: Int!
}

type AgentReputation {
  "Feedback that is not revoked and has a value."
  count: Int!
  "Clients of this feedback."
  reviewerCount: Int!
  "Decimal text; null without any value."
  average: String
  "The hundred most frequent first tags, most frequent first."
  tags: [AgentTag!]!
  "The same of reviewers that the policy lets through; null without \`by\`."
  by: AgentJudgedReputation
}

type AgentJudgedReputation {
  count: Int!
  reviewerCount: Int!
  average: String
  tags: [AgentTag!]!
  policy: String!
  policyHash: String!
  leftOut: Int!
  unknown: Int!
}

type AgentTag {
  tag: String!
  count: Int!
  "Decimal text."
  average: String!
}

type AgentResponsePage {
  ${pageFields}
  rows: [AgentResponse!]!
}

type AgentResponse {
  "Composite id of the feedback."
  feedbackId: String!
  client: String!
  feedbackIndex: String!
  responder: String!
  responseURI: String!
  "Zeros without one."
  responseHash: String!
  "Unix seconds."
  timestamp: Float!
  blockNumber: Float!
  transactionHash: String!
}

type AgentVersionPage {
  ${pageFields}
  rows: [AgentVersion!]!
}

"One event of the registry of identities; members that it does not tell are empty."
type AgentVersion {
  "registered, transferred, uriUpdated or metadataSet."
  change: String!
  owner: String!
  from: String!
  uri: String!
  updatedBy: String!
  key: String!
  value: String!
  "Unix seconds."
  timestamp: Float!
  blockNumber: Float!
  transactionHash: String!
}
`
