import type { GraphNodeField } from '../engine/graphNode/types.ts'

const text = { scalar: 'String', kind: 'text' } as const
const hex = { scalar: 'String', kind: 'hex' } as const
const time = { scalar: 'BigInt', kind: 'int' } as const
const bool = { scalar: 'Boolean', kind: 'bool' } as const
const texts = { scalar: 'String', kind: 'texts' } as const

/**
 * The fields that filters and orders take, by the entities of the subgraph of agent0lab (`schema.graphql`), and those of
 * its earlier versions that its README still asks for: `score`, `feedbackUri`, `x402support`.
 */
const entityFields = {
  Agent: {
    id: text,
    chainId: time,
    agentId: { scalar: 'BigInt', kind: 'uint' },
    agentURI: text,
    agentURIType: text,
    owner: hex,
    agentWallet: hex,
    operators: texts,
    createdAt: time,
    updatedAt: time,
    totalFeedback: time,
    lastActivity: time,
    registrationFile: text,
  },
  AgentRegistrationFile: {
    id: text,
    cid: text,
    agentId: text,
    name: text,
    description: text,
    image: text,
    active: bool,
    x402Support: bool,
    x402support: bool,
    supportedTrusts: texts,
    endpointsRawJson: text,
    mcpEndpoint: text,
    mcpVersion: text,
    a2aEndpoint: text,
    a2aVersion: text,
    webEndpoint: text,
    emailEndpoint: text,
    oasfEndpoint: text,
    oasfVersion: text,
    oasfSkills: texts,
    oasfDomains: texts,
    hasOASF: bool,
    ens: text,
    did: text,
    mcpTools: texts,
    mcpPrompts: texts,
    mcpResources: texts,
    a2aSkills: texts,
    createdAt: time,
  },
  Feedback: {
    id: text,
    agent: text,
    clientAddress: hex,
    feedbackIndex: { scalar: 'BigInt', kind: 'uint' },
    value: { scalar: 'BigDecimal', kind: 'decimal' },
    score: { scalar: 'Int', kind: 'decimal' },
    tag1: text,
    tag2: text,
    endpoint: text,
    feedbackURI: text,
    feedbackUri: text,
    feedbackURIType: text,
    feedbackHash: hex,
    isRevoked: bool,
    createdAt: time,
    revokedAt: time,
    feedbackFile: text,
  },
  FeedbackFile: {
    id: text,
    cid: text,
    feedbackId: text,
    agentRegistry: text,
    agentId: { scalar: 'BigInt', kind: 'decimal' },
    clientAddress: text,
    createdAtIso: text,
    valueRaw: { scalar: 'BigInt', kind: 'decimal' },
    valueDecimals: { scalar: 'Int', kind: 'decimal' },
    text,
    capability: text,
    name: text,
    skill: text,
    task: text,
    context: text,
    mcpTool: text,
    mcpPrompt: text,
    mcpResource: text,
    a2aSkills: texts,
    a2aContextId: text,
    a2aTaskId: text,
    oasfSkills: texts,
    oasfDomains: texts,
    proofOfPaymentFromAddress: text,
    proofOfPaymentToAddress: text,
    proofOfPaymentChainId: text,
    proofOfPaymentTxHash: text,
    tag1: text,
    tag2: text,
    createdAt: time,
  },
  FeedbackResponse: {
    id: text,
    feedback: text,
    responder: hex,
    responseUri: text,
    responseHash: hex,
    createdAt: time,
  },
  Validation: {
    id: hex,
    agent: text,
    validatorAddress: hex,
    requestUri: text,
    requestHash: hex,
    response: { scalar: 'Int', kind: 'int' },
    responseUri: text,
    responseHash: hex,
    tag: text,
    status: { scalar: 'ValidationStatus', kind: 'enum' },
    createdAt: time,
    updatedAt: time,
  },
  AgentMetadata: { id: text, agent: text, key: text, value: hex, updatedAt: time },
  Protocol: {
    id: text,
    chainId: time,
    name: text,
    identityRegistry: hex,
    reputationRegistry: hex,
    validationRegistry: hex,
    totalAgents: time,
    totalFeedback: time,
    totalValidations: time,
    createdAt: time,
    updatedAt: time,
  },
} as const satisfies Readonly<Record<string, Readonly<Record<string, GraphNodeField>>>>

export type AgentEntity = keyof typeof entityFields

export const agentEntities = Object.keys(entityFields) as readonly AgentEntity[]

export function fieldsOfEntity(entity: AgentEntity): Readonly<Record<string, GraphNodeField>> {
  return entityFields[entity]
}

/** The entities that a filter reaches by the name of a relation, and the prefix that their fields have there. */
export const relatedEntities: Readonly<Partial<Record<AgentEntity, Readonly<Record<string, AgentEntity>>>>> =
  {
    Agent: { registrationFile_: 'AgentRegistrationFile' },
    Feedback: { agent_: 'Agent', feedbackFile_: 'FeedbackFile' },
    FeedbackResponse: { feedback_: 'Feedback' },
    Validation: { agent_: 'Agent' },
    AgentMetadata: { agent_: 'Agent' },
  }

/** The lists of an entity whose filters graph-node takes as well; here they are refused in a sentence. */
export const listedEntities: Readonly<Partial<Record<AgentEntity, Readonly<Record<string, AgentEntity>>>>> = {
  Agent: { feedback_: 'Feedback', validations_: 'Validation', metadata_: 'AgentMetadata' },
  Feedback: { responses_: 'FeedbackResponse' },
}

/** The orders of an entity: its fields, and those of related rows as graph-node names them, `agent__createdAt`. */
export function ordersOf(entity: AgentEntity): readonly string[] {
  const ofRelated = Object.entries(relatedEntities[entity] ?? {}).flatMap(([relation, related]) =>
    Object.entries(fieldsOfEntity(related)).flatMap(([field, { kind }]) =>
      kind === 'texts' ? [] : [`${relation}_${field}`],
    ),
  )
  return [...Object.keys(fieldsOfEntity(entity)), ...ofRelated]
}
