import { BadParameterError } from '@attestry/core/errors/apiErrors.ts'
import type { GraphNodeDialect } from '../engine/graphNode/readWhere.ts'
import { rootOf } from '../engine/rowSource.ts'
import { agentEntity } from './agents.ts'
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
export const erc8004Dialect: GraphNodeDialect = {
  shapes: {
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
  further: 'skip',
  checkMember: (entity, name) => {
    const listed = unansweredLists[entity]?.[name.slice(0, -1)]
    if (listed === undefined || !name.endsWith('_')) return
    throw new BadParameterError(
      `where.${name} is not answered; ask for ${rootOf(listed)}s instead, whose where takes ` +
        `${rootOf(entity)}_: {…}.`,
    )
  },
}

/** The lists of an entity whose filters graph-node takes as well; here they are refused in a sentence. */
export const unansweredLists: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  Agent: { feedback: 'Feedback', validations: 'Validation', metadata: 'AgentMetadata' },
  Feedback: { responses: 'FeedbackResponse' },
}
