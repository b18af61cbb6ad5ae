import type { FastifyInstance, FastifyRequest } from 'fastify'
import { NotFoundError } from '../../errors/apiErrors.ts'
import { parseChainId, type ChainId } from '../../model/compositeId.ts'
import { defaultReadLimits } from '../protocolGraphql/budget.ts'
import { createProtocolEndpoints, type ProtocolOptions } from '../protocolGraphql/protocolEndpoints.ts'
import { quoteInput } from '../quoteInput.ts'
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
    chainIdOf: (request) => chainIdOf(protocol, request),
    examples: veraxExamples,
    limits,
    noteFailure,
    onFailure,
  })
}

/** The chain that a path names; null for a path without one. */
function chainIdOf({ networks }: VeraxProtocol, { params }: FastifyRequest): ChainId | null {
  const { chain } = params as { readonly chain?: string }
  if (chain === undefined) return null
  const chainId = parseChainId(chain) ?? networks.get(chain) ?? null
  if (chainId !== null) return chainId
  throw new NotFoundError(
    `${quoteInput(chain)} is no chain: give its number, or one of ${[...networks.keys()].join(', ')}.`,
  )
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
