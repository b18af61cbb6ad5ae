import { commonTypes, entityRoots, entityTypes, listArguments } from '../engine/graphNode/types.ts'
import { erc8004Dialect } from './dialect.ts'

/**
 * The part of the schema that graph-node makes of agent0lab's subgraph. Ids and bytes are taken as `String`, as
 * graph-node takes variables of `String`, `ID` and `Bytes` for one another.
 */
export function erc8004TypeDefinitions(): string {
  return [furtherTypes, ...entityTypes(erc8004Dialect, further)].join('\n\n')
}

const stateArguments = 'block: Block_height, subgraphError: _SubgraphErrorPolicy_! = deny'

/** The members of types beside the fields that filters take. */
const further: Readonly<Record<string, string>> = {
  Agent: `registrationFile: AgentRegistrationFile
  feedback(${listArguments('Feedback')}): [Feedback!]!
  validations(${listArguments('Validation')}): [Validation!]!
  metadata(${listArguments('AgentMetadata')}): [AgentMetadata!]!`,
  AgentRegistrationFile: `"Of earlier versions of the subgraph; always null."
  agentWallet: Bytes
  agentWalletChainId: BigInt`,
  Feedback: `agent: Agent!
  "Of a data: URI, or of content that the server fetches; at most 65,536 characters."
  feedbackFile: FeedbackFile
  responses(${listArguments('FeedbackResponse')}): [FeedbackResponse!]!`,
  FeedbackResponse: 'feedback: Feedback!',
  Validation: 'agent: Agent!',
  AgentMetadata: 'agent: Agent!',
  Protocol: `agents(${listArguments('Agent')}): [Agent!]!
  "Not kept: the list is empty."
  tags: [String!]!`,
}

const furtherTypes = `
${commonTypes('Answers are of the newest state: `number` and `hash` are refused; `number_gte`: the state must have that block.')}

scalar BigDecimal

enum ValidationStatus {
  PENDING
  COMPLETED
  EXPIRED
}

"Nothing is answered beside errors of indexing."
enum _SubgraphErrorPolicy_ {
  allow
  deny
}

type Query {
  ${entityRoots(erc8004Dialect, 'String', stateArguments)}
  globalStats(id: String!, ${stateArguments}): GlobalStats
  agentStats(id: String!, ${stateArguments}): AgentStats
  _meta(block: Block_height): _Meta_
}

type GlobalStats {
  id: ID!
  totalAgents: BigInt!
  totalFeedback: BigInt!
  totalValidations: BigInt!
  totalProtocols: BigInt!
  agents(${listArguments('Agent')}): [Agent!]!
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
`
