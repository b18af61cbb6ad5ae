import type { ServedWing } from '@attestry/server/wing.ts'
import { addAgentEndpoints } from './addAgentEndpoints.ts'
import { withAgentFiles } from './agentFiles.ts'
import { foundAgent } from './agentSchemas.ts'
import { agentBehaviours } from './graphql/agentBehaviours.ts'
import { agentTypes } from './graphql/agentTypes.ts'
import { searchAgents } from './searchAgents.ts'

/** Agents of ERC-8004 over REST and GraphQL, and in the search. */
export function serveAgents(): ServedWing {
  return {
    endpoints:
      ({ context }) =>
      (scope) =>
        addAgentEndpoints(scope, context),
    wrapReader: (reader, content) => (content === null ? reader : withAgentFiles(reader, content)),
    graphql: { typeDefinitions: agentTypes, behaviours: agentBehaviours },
    search: { type: 'agent', plural: 'agents', row: foundAgent, followsContent: true, search: searchAgents },
  }
}
