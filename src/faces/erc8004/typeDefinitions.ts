import { filterType, listArguments, orderType } from '../protocolGraphql/graphNodeTypes.ts'
import { agentEntities, fieldsOfEntity, relatedEntities } from './models.ts'

/**
 * The part of the schema that graph-node makes of agent0lab's subgraph. Ids and bytes are taken as `String`, as
 * graph-node takes variables of `String`, `ID` and `Bytes` for one another.
 */
export function erc8004TypeDefinitions(): string {
  return [
    objectTypes,
    ...agentEntities.map((entity) => filterType(entity, fieldsOfEntity(entity), relatedEntities[entity])),
    ...agentEntities.map((entity) => orderType(entity, fieldsOfEntity(entity))),
  ].join('\n\n')
}

const objectTypes = `
scalar Bytes
scalar BigInt
scalar BigDecimal

enum OrderDirection {
  asc
  desc
}

enum ValidationStatus {
  PENDING
  COMPLETED
  EXPIRED
}

type Query {
  agent(id: String!): Agent
  agents(${listArguments('Agent')}): [Agent!]!
  agentRegistrationFile(id: String!): AgentRegistrationFile
  agentRegistrationFiles(${listArguments('AgentRegistrationFile')}): [AgentRegistrationFile!]!
  feedback(id: String!): Feedback
  feedbacks(${listArguments('Feedback')}): [Feedback!]!
  feedbackResponse(id: String!): FeedbackResponse
  feedbackResponses(${listArguments('FeedbackResponse')}): [FeedbackResponse!]!
  "No files of feedback are read: the list is empty."
  feedbackFiles(first: Int = 100, skip: Int = 0): [FeedbackFile!]!
  validation(id: String!): Validation
  validations(${listArguments('Validation')}): [Validation!]!
  agentMetadata(id: String!): AgentMetadata
  agentMetadatas(${listArguments('AgentMetadata')}): [AgentMetadata!]!
  protocol(id: String!): Protocol
  protocols(first: Int = 100, skip: Int = 0): [Protocol!]!
  globalStats(id: String!): GlobalStats
  _meta: _Meta_
}

type Agent {
  id: ID!
  chainId: BigInt!
  agentId: BigInt!
  agentURI: String
  agentURIType: String
  owner: Bytes!
  agentWallet: Bytes
  "Approvals are not indexed: the list is empty."
  operators: [Bytes!]!
  createdAt: BigInt!
  updatedAt: BigInt!
  registrationFile: AgentRegistrationFile
  feedback(${listArguments('Feedback')}): [Feedback!]!
  validations(${listArguments('Validation')}): [Validation!]!
  metadata(${listArguments('AgentMetadata')}): [AgentMetadata!]!
  "Feedback that is not revoked."
  totalFeedback: BigInt!
  lastActivity: BigInt!
}

"The file in a data: URI; files elsewhere are not read."
type AgentRegistrationFile {
  id: ID!
  cid: String!
  agentId: String!
  name: String
  description: String
  image: String
  active: Boolean
  x402Support: Boolean
  x402support: Boolean
  supportedTrusts: [String!]!
  endpointsRawJson: String
  mcpEndpoint: String
  mcpVersion: String
  a2aEndpoint: String
  a2aVersion: String
  webEndpoint: String
  emailEndpoint: String
  oasfEndpoint: String
  oasfVersion: String
  oasfSkills: [String!]!
  oasfDomains: [String!]!
  hasOASF: Boolean!
  ens: String
  did: String
  mcpTools: [String!]!
  mcpPrompts: [String!]!
  mcpResources: [String!]!
  a2aSkills: [String!]!
  "Of earlier versions of the subgraph; always null."
  agentWallet: Bytes
  agentWalletChainId: BigInt
  createdAt: BigInt!
}

type Feedback {
  id: ID!
  agent: Agent!
  clientAddress: Bytes!
  feedbackIndex: BigInt!
  "With its decimals applied; zero where the payload cannot be decoded."
  value: BigDecimal!
  "The value as a whole number, of earlier versions of the subgraph."
  score: Int!
  tag1: String
  tag2: String
  endpoint: String
  feedbackURI: String
  feedbackUri: String
  feedbackURIType: String
  feedbackHash: Bytes
  isRevoked: Boolean!
  createdAt: BigInt!
  revokedAt: BigInt
  "Files of feedback are not read."
  feedbackFile: FeedbackFile
  responses(${listArguments('FeedbackResponse')}): [FeedbackResponse!]!
}

type FeedbackFile {
  id: ID!
  cid: String!
  feedbackId: String!
  text: String
  capability: String
  name: String
  skill: String
  task: String
  context: String
  mcpTool: String
  mcpPrompt: String
  mcpResource: String
  a2aSkills: [String!]!
  a2aContextId: String
  a2aTaskId: String
  oasfSkills: [String!]!
  oasfDomains: [String!]!
  proofOfPaymentFromAddress: String
  proofOfPaymentToAddress: String
  proofOfPaymentChainId: String
  proofOfPaymentTxHash: String
  tag1: String
  tag2: String
  createdAt: BigInt!
}

type FeedbackResponse {
  id: ID!
  feedback: Feedback!
  responder: Bytes!
  responseUri: String
  responseHash: Bytes
  createdAt: BigInt!
}

type Validation {
  id: ID!
  agent: Agent!
  validatorAddress: Bytes!
  requestUri: String
  requestHash: Bytes!
  response: Int
  responseUri: String
  responseHash: Bytes
  tag: String
  status: ValidationStatus!
  createdAt: BigInt!
  updatedAt: BigInt!
}

type AgentMetadata {
  id: ID!
  agent: Agent!
  key: String!
  value: Bytes!
  updatedAt: BigInt!
}

type Protocol {
  id: ID!
  chainId: BigInt!
  name: String!
  identityRegistry: Bytes!
  reputationRegistry: Bytes!
  validationRegistry: Bytes!
  totalAgents: BigInt!
  totalFeedback: BigInt!
  totalValidations: BigInt!
  "Not kept: the list is empty."
  tags: [String!]!
  createdAt: BigInt!
  updatedAt: BigInt!
}

type GlobalStats {
  id: ID!
  totalAgents: BigInt!
  totalFeedback: BigInt!
  totalValidations: BigInt!
  totalProtocols: BigInt!
  "Not kept: the list is empty."
  tags: [String!]!
  updatedAt: BigInt!
}

type _Meta_ {
  block: _Block_!
  deployment: String!
  hasIndexingErrors: Boolean!
}

type _Block_ {
  number: Int!
  timestamp: Int
}
`
