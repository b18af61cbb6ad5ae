import {
  commonTypes,
  filterType,
  listArguments as argumentsOfList,
  objectType,
  orderType,
  rootFields,
} from '../engine/graphNode/types.ts'
import { rootOf } from '../engine/rowSource.ts'
import { erc8004Dialect, unansweredLists } from './dialect.ts'

const { shapes } = erc8004Dialect

/**
 * The part of the schema that graph-node makes of agent0lab's subgraph. Ids and bytes are taken as `String`, as
 * graph-node takes variables of `String`, `ID` and `Bytes` for one another.
 */
export function erc8004TypeDefinitions(): string {
  return [
    furtherTypes,
    ...Object.values(shapes).flatMap((shape) => {
      const related = Object.entries(shape.related ?? {}).flatMap(([relation, name]) => {
        const of = shapes[name]
        return of === undefined ? [] : [[relation, of] as const]
      })
      return [
        objectType(shape, further[shape.name] ?? ''),
        filterType(shape, unansweredLists[shape.name]),
        orderType(shape, Object.fromEntries(related)),
      ]
    }),
  ].join('\n\n')
}

const stateArguments = 'block: Block_height, subgraphError: _SubgraphErrorPolicy_! = deny'

/** The members of types beside the fields that filters take. */
const further: Readonly<Record<string, string>> = {
  Agent: `registrationFile: AgentRegistrationFile
  feedback(${argumentsOfList('Feedback')}): [Feedback!]!
  validations(${argumentsOfList('Validation')}): [Validation!]!
  metadata(${argumentsOfList('AgentMetadata')}): [AgentMetadata!]!`,
  AgentRegistrationFile: `"Of earlier versions of the subgraph; always null."
  agentWallet: Bytes
  agentWalletChainId: BigInt`,
  Feedback: `agent: Agent!
  "Of a data: URI, or of content that the server fetches; at most 65,536 characters."
  feedbackFile: FeedbackFile
  responses(${argumentsOfList('FeedbackResponse')}): [FeedbackResponse!]!`,
  FeedbackResponse: 'feedback: Feedback!',
  Validation: 'agent: Agent!',
  AgentMetadata: 'agent: Agent!',
  Protocol: `agents(${argumentsOfList('Agent')}): [Agent!]!
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
  ${Object.keys(shapes)
    .map((name) => rootFields(rootOf(name), name, 'String', stateArguments))
    .join('\n  ')}
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
`
