import type { ReadableDialect } from '../engine/graphNode/entity.ts'
import { agentEntity } from './agents.ts'
import type { Erc8004Context } from './erc8004Context.ts'
import { feedbackEntity } from './feedback.ts'
import { feedbackFileEntity, registrationFileEntity } from './files.ts'
import { metadataEntity } from './metadata.ts'
import { responseEntity } from './responses.ts'
import { protocolEntity } from './statistics.ts'
import { validationEntity } from './validations.ts'

/**
 * The entities of the subgraph of agent0lab (`schema.graphql`), with fields of its earlier versions that its README still
 * asks for: `score`, `feedbackUri`, `x402support`.
 */
export const erc8004Dialect: ReadableDialect<Erc8004Context> = {
  entities: {
    Agent: agentEntity,
    AgentRegistrationFile: registrationFileEntity,
    Feedback: feedbackEntity,
    FeedbackFile: feedbackFileEntity,
    FeedbackResponse: responseEntity,
    Validation: validationEntity,
    AgentMetadata: metadataEntity,
    Protocol: protocolEntity,
  },
  takesNull: true,
  ordersByRelated: true,
  further: 'skip',
  unanswered: {
    Agent: { feedback: 'Feedback', validations: 'Validation', metadata: 'AgentMetadata' },
    Feedback: { responses: 'FeedbackResponse' },
  },
}
