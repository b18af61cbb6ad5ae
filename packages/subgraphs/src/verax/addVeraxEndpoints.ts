import type { FastifyInstance } from 'fastify'
import { defaultReadLimits } from '../engine/budget.ts'
import {
  chainIdByNetwork,
  createProtocolEndpoints,
  type ProtocolOptions,
} from '../engine/protocolEndpoints.ts'
import { aboutBlock } from './blockHeight.ts'
import { veraxTypeDefinitions } from './typeDefinitions.ts'
import { veraxBehaviours } from './veraxBehaviours.ts'
import { createVeraxContext, type VeraxProtocol } from './veraxContext.ts'

/** The endpoints that answer as Verax's subgraph does, to be added under each of a server's bases. */
export function createVeraxEndpoints(
  options: ProtocolOptions<VeraxProtocol>,
): (app: FastifyInstance) => void {
  const { context, protocol, noteFailure, onFailure } = options
  const { reader, readHeader, now, decodePayload } = context
  const limits = { ...defaultReadLimits, ...options.limits }
  const services = { reader, readHeader, now, decodePayload, protocol, limits }
  return createProtocolEndpoints({
    context,
    protocol: { name: protocol.name, title: 'Verax', path: 'verax' },
    typeDefinitions: veraxTypeDefinitions,
    behaviours: veraxBehaviours,
    createContext: (chain, effort) => createVeraxContext(services, chain, effort),
    chainIdOf: (request) => chainIdByNetwork(protocol.networks, request),
    aboutOf: aboutBlock,
    examples: veraxExamples,
    limits,
    noteFailure,
    onFailure,
  })
}

/** The queries of a first visit, each in its own tab. */
const veraxExamples: readonly string[] = [
  `# The newest attestations, with what they say
query LatestAttestations {
  attestations(first: 10, orderBy: attestedDate, orderDirection: desc, where: { revoked: false }) {
    id
    attester
    subject
    attestedDate
    decodedData
    schema {
      id
      name
    }
    portal {
      id
      name
    }
  }
}
`,
  `# Schemas by their number of attestations
query Schemas {
  schemas(first: 10, orderBy: attestationCounter, orderDirection: desc) {
    id
    name
    schema
    attestationCounter
  }
}
`,
]
