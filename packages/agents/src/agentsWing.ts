import { moduleBeside } from '@attestry/core/model/moduleBeside.ts'
import type { Wing } from '@attestry/server/wing.ts'

/** Agents of ERC-8004 over REST and GraphQL, and in the search. */
export const agentsWing: Wing = {
  name: 'agents',
  projection: moduleBeside(import.meta.url, './agentProjection').href,
  serve: async () => (await import('./serveAgents.ts')).serveAgents(),
}
