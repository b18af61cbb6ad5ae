import { erc8004Interface } from '@attestry/core/protocols/erc8004/erc8004Interface.ts'
import type { ServedWing } from '@attestry/server/wing.ts'
import type { ReadLimits } from '../engine/budget.ts'
import { serveDialect } from '../engine/serveDialect.ts'
import { erc8004Behaviours } from './erc8004Behaviours.ts'
import { createErc8004Context } from './erc8004Context.ts'
import { erc8004TypeDefinitions } from './typeDefinitions.ts'

/** The endpoints that answer as agent0lab's subgraph does. */
export function serveErc8004({ limits = {} }: { readonly limits?: Partial<ReadLimits> } = {}): ServedWing {
  const protocol = erc8004Interface
  return serveDialect(
    {
      protocol: { name: protocol.name, title: 'ERC-8004', path: 'erc8004' },
      typeDefinitions: erc8004TypeDefinitions,
      behaviours: erc8004Behaviours,
      open:
        ({ reader, decodePayload, content }, readLimits) =>
        (chain, effort) =>
          createErc8004Context(
            { reader, decodePayload, content, protocol, limits: readLimits },
            chain,
            effort,
          ),
      networks: protocol.networks,
      takesTexts: true,
      examples: erc8004Examples,
    },
    limits,
  )
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
