import { veraxInterface } from '@attestry/core/protocols/verax/veraxInterface.ts'
import type { ServedWing } from '@attestry/server/wing.ts'
import type { ReadLimits } from '../engine/budget.ts'
import { serveDialect } from '../engine/serveDialect.ts'
import { aboutBlock } from './blockHeight.ts'
import { veraxTypeDefinitions } from './typeDefinitions.ts'
import { veraxBehaviours } from './veraxBehaviours.ts'
import { createVeraxContext, type VeraxProtocol } from './veraxContext.ts'

/**
 * The endpoints that answer as Verax's subgraph does.
 * @param options.protocol tests replace it.
 */
export function serveVerax({
  limits = {},
  protocol = veraxInterface,
}: { readonly limits?: Partial<ReadLimits>; readonly protocol?: VeraxProtocol } = {}): ServedWing {
  return serveDialect(
    {
      protocol: { name: protocol.name, title: 'Verax', path: 'verax' },
      typeDefinitions: veraxTypeDefinitions,
      behaviours: veraxBehaviours,
      open:
        ({ reader, readHeader, now, decodePayload }, readLimits) =>
        (chain, effort) =>
          createVeraxContext(
            { reader, readHeader, now, decodePayload, protocol, limits: readLimits },
            chain,
            effort,
          ),
      networks: protocol.networks,
      aboutOf: aboutBlock,
      examples: veraxExamples,
    },
    limits,
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
