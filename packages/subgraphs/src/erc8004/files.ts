import type { StoredAgent } from '@attestry/agents/projection/agentQueries.ts'
import { everything, type FieldValue } from '../engine/condition.ts'
import type { GraphNodeEntity } from '../engine/graphNode/entity.ts'
import { ofRelated } from '../engine/graphNode/lists.ts'
import { mapBatches, walkRows } from '../engine/rowSource.ts'
import { agentEntity } from './agents.ts'
import type { Erc8004Context } from './erc8004Context.ts'
import { feedbackEntity } from './feedback.ts'
import { feedbackFileFields, feedbackFileValue, type FeedbackFileNode } from './feedbackFiles.ts'
import { registrationFields, registrationValue } from './registrationFile.ts'

/** The files of agents: lists of them are lists of the agents that have one. */
export const registrationFileEntity: GraphNodeEntity<StoredAgent, Erc8004Context> = {
  ...filesOf(agentEntity, 'registrationFile', registrationValue, (_context, agents) =>
    Promise.resolve(agents),
  ),
  name: 'AgentRegistrationFile',
  description: 'The file in a data: URI, or of content that the server fetches.',
  fields: registrationFields,
  shortlist: (context, condition, { field, isDescending }, enough) => {
    // The id of its agent is an order of agents.
    const ofAgent = field === 'agentId' ? 'id' : `registrationFile.${field}`
    const files = ofRelated('registrationFile', condition)
    return agentEntity.shortlist?.(context, files, { field: ofAgent, isDescending }, enough) ?? none
  },
}

const none = Promise.resolve(null)

/** The files of feedback, each of which has the time of its feedback. */
export const feedbackFileEntity: GraphNodeEntity<FeedbackFileNode, Erc8004Context> = {
  ...filesOf(feedbackEntity, 'feedbackFile', feedbackFileValue, async ({ feedbackFiles }, nodes) =>
    (await feedbackFiles(nodes)).filter((file) => file !== null),
  ),
  name: 'FeedbackFile',
  fields: feedbackFileFields,
  walkedFields: ['createdAt'],
}

/** The files of the rows of an entity. */
function filesOf<Row extends object, File extends object>(
  entity: GraphNodeEntity<Row, Erc8004Context>,
  relation: string,
  valueOf: (context: unknown, file: File, field: string) => FieldValue,
  load: (context: Erc8004Context, rows: readonly Row[]) => Promise<readonly File[]>,
): Pick<GraphNodeEntity<File, Erc8004Context>, 'walkedFields' | 'valueOf' | 'open'> {
  return {
    walkedFields: [],
    valueOf,
    open: (context, request) => {
      const condition = ofRelated(relation, request.condition)
      return Promise.resolve({
        rest: everything,
        read: () =>
          mapBatches(walkRows(entity, context, { ...request, condition }), (rows) => load(context, rows)),
      })
    },
  }
}
