import type { Wing } from '@attestry/server/wing.ts'

/** Agents of ERC-8004 over REST and GraphQL, and in the search. */
export const agentsWing: Wing = {
  name: 'agents',
  projection: async () => (await import('./projection/agentProjection.ts')).projection,
  serve: async () => (await import('./serveAgents.ts')).serveAgents(),
}
