import type { FastifyInstance } from 'fastify'
import { defaultReadLimits } from '../engine/budget.ts'
import {
  chainIdByNetwork,
  createProtocolEndpoints,
  type ProtocolOptions,
} from '../engine/protocolEndpoints.ts'
import { erc8004Behaviours } from './erc8004Behaviours.ts'
import { createErc8004Context, type Erc8004Protocol } from './erc8004Context.ts'
import { erc8004TypeDefinitions } from './typeDefinitions.ts'

/** The endpoints that answer as the subgraph of agent0lab does, to be added under each of a server's bases. */
export function createErc8004Endpoints(
  options: ProtocolOptions<Erc8004Protocol>,
): (app: FastifyInstance) => void {
  const { context, protocol, noteFailure, onFailure } = options
  const { reader, decodePayload, content } = context
  const limits = { ...defaultReadLimits, ...options.limits }
  const services = { reader, decodePayload, content, protocol, limits }
  return createProtocolEndpoints({
    context,
    protocol: { name: protocol.name, title: 'ERC-8004', path: 'erc8004' },
    typeDefinitions: erc8004TypeDefinitions,
    behaviours: erc8004Behaviours,
    createContext: (chain, effort) => createErc8004Context(services, chain, effort),
    chainIdOf: (request) => chainIdByNetwork(protocol.networks, request),
    examples: erc8004Examples,
    takesTexts: true,
    limits,
    noteFailure,
    onFailure,
  })
}

/** The queries of a first visit, each in its own tab. */
const erc8004Examples: readonly string[] = [
  `# The newest agents, with what they say of themselves
query NewestAgents {
  agents(first: 10, orderBy: createdAt, orderDirection: desc, where: { registrationFile_not: null }) {
    id
    owner
    totalFeedback
    registrationFile {
      name
      description
      mcpEndpoint
      a2aEndpoint
    }
  }
}
`,
  `# The newest feedback that is not revoked
query NewestFeedback {
  feedbacks(first: 10, orderBy: createdAt, orderDirection: desc, where: { isRevoked: false }) {
    id
    clientAddress
    value
    tag1
    tag2
  }
}
`,
]
