import { filterType, listArguments as argumentsOfList, orderType } from '../engine/graphNode/types.ts'
import {
  agentEntities,
  fieldsOfEntity,
  listedEntities,
  ordersOf,
  relatedEntities,
  type AgentEntity,
} from './models.ts'

/**
 * The part of the schema that graph-node makes of agent0lab's subgraph. Ids and bytes are taken as `String`, as
 * graph-node takes variables of `String`, `ID` and `Bytes` for one another.
 */
export function erc8004TypeDefinitions(): string {
  return [
    objectTypes(),
    ...agentEntities.map((entity) =>
      filterType(entity, fieldsOfEntity(entity), { ...relatedEntities[entity], ...listedEntities[entity] }),
    ),
    ...agentEntities.map((entity) => orderType(entity, ordersOf(entity))),
  ].join('\n\n')
}

const stateArguments = 'block: Block_height, subgraphError: _SubgraphErrorPolicy_! = deny'

const listOf = (entity: AgentEntity) => `${argumentsOfList(entity)}, ${stateArguments}`

const listNames = {
  agent: 'Agent',
  agentRegistrationFile: 'AgentRegistrationFile',
  feedback: 'Feedback',
  feedbackFile: 'FeedbackFile',
  feedbackResponse: 'FeedbackResponse',
  validation: 'Validation',
  agentMetadata: 'AgentMetadata',
} as const

function roots(): string {
  return Object.entries(listNames)
    .map(
      ([name, entity]) =>
        `${name}(id: String!, ${stateArguments}): ${entity}\n  ${name}s(${listOf(entity)}): [${entity}!]!`,
    )
    .join('\n  ')
}

const objectTypes = () => `
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

"Answers are of the newest state: \`number\` and \`hash\` are refused; \`number_gte\`: the state must have that block."
input Block_height {
  hash: Bytes
  number: Int
  number_gte: Int
}

"Nothing is answered beside errors of indexing."
enum _SubgraphErrorPolicy_ {
  allow
  deny
}

type Query {
  ${roots()}
  protocol(id: String!, ${stateArguments}): Protocol
  protocols(${listOf('Protocol')}): [Protocol!]!
  globalStats(id: String!, ${stateArguments}): GlobalStats
  agentStats(id: String!, ${stateArguments}): AgentStats
  _meta(block: Block_height): _Meta_
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
  feedback(${argumentsOfList('Feedback')}): [Feedback!]!
  validations(${argumentsOfList('Validation')}): [Validation!]!
  metadata(${argumentsOfList('AgentMetadata')}): [AgentMetadata!]!
  "Feedback that is not revoked."
  totalFeedback: BigInt!
  lastActivity: BigInt!
}

"The file in a data: URI, or of content that the server fetches."
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
  "Of a data: URI, or of content that the server fetches; at most 65,536 characters."
  feedbackFile: FeedbackFile
  responses(${argumentsOfList('FeedbackResponse')}): [FeedbackResponse!]!
}

type FeedbackFile {
  id: ID!
  cid: String!
  feedbackId: String!
  agentRegistry: String
  agentId: BigInt
  clientAddress: String
  "\`createdAt\` of the file."
  createdAtIso: String
  valueRaw: BigInt
  valueDecimals: Int
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
  agents(${argumentsOfList('Agent')}): [Agent!]!
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
  agents(${argumentsOfList('Agent')}): [Agent!]!
  "Not kept: the list is empty."
  tags: [String!]!
  updatedAt: BigInt!
}

"Of earlier versions of the subgraph: what the feedback and validations of an agent add up to, read when it is asked for."
type AgentStats {
  id: ID!
  agent: Agent!
  "Feedback that is not revoked."
  totalFeedback: BigInt!
  averageScore: BigDecimal!
  "Feedback by score: 0 to 20, to 40, to 60, to 80, to 100. Other values are in none."
  scoreDistribution: [Int!]!
  totalValidations: BigInt!
  completedValidations: BigInt!
  averageValidationScore: BigDecimal!
  lastActivity: BigInt!
  updatedAt: BigInt!
}

type _Meta_ {
  block: _Block_!
  deployment: String!
  hasIndexingErrors: Boolean!
}

type _Block_ {
  number: Int!
  "Not kept of most blocks; always null."
  hash: Bytes
  parentHash: Bytes
  timestamp: Int
}
`
