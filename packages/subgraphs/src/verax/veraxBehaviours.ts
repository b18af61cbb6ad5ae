import { NotFoundError } from '@attestry/core/errors/apiErrors.ts'
import type { TypeBehaviour } from '@attestry/server/interfaces/graphql/fields/fieldBehaviour.ts'
import { findOverview, metaOf } from '../engine/graphNode/chainState.ts'
import { dialectBehaviours } from '../engine/graphNode/lists.ts'
import { decodedDataOf, portalNode, type AttestationRow } from './attestations.ts'
import { auditOfAttestation, auditOfRegistered, auditOfSchema } from './audits.ts'
import { atBlock } from './blockHeight.ts'
import { veraxDialect } from './dialect.ts'
import { readRegistered, type ModuleNode, type PortalNode } from './registrations.ts'
import type { SchemaNode } from './schemas.ts'
import type { VeraxContext } from './veraxContext.ts'

const counterId = 'counter'

export const veraxBehaviours = dialectBehaviours(veraxDialect, atBlock, {
  Query: {
    ...notIndexed('issuer', 'issuers of Verax; ask isIssuer of the PortalRegistry'),
    ...notIndexed(
      'registryVersion',
      'versions of the registry; ask getVersionNumber of the AttestationRegistry',
    ),
    counter: (_root, { id }, context) => (id === counterId ? readCounter(context) : null),
    counters: async (_root, { first, skip }, context) =>
      first === 0 || Number(skip ?? 0) > 0 ? [] : [await readCounter(context)],
    _meta: (_root, { block }, context) =>
      atBlock(context, block, async (state) =>
        metaOf(state.protocol.name, await findOverview(state), state.past),
      ),
  },
  Attestation: {
    auditInformation: (row: AttestationRow, _values, context) => auditOfAttestation(context, row),
    decodedData: (row: AttestationRow, _values, context) => decodedDataOf(context, row),
    schemaString: async ({ stored }: AttestationRow, _values, { schemas }) =>
      (await schemas.load(stored.schemaId))?.rawText ?? null,
    schema: async ({ stored }: AttestationRow, _values, { schemas }): Promise<SchemaNode> => {
      const id = stored.schemaId
      return { id, stored: await schemas.load(id) }
    },
    portal: portalNode,
  },
  Schema: {
    auditInformation: ({ stored }: SchemaNode, _values, context) =>
      stored === null ? null : auditOfSchema(context, stored),
  },
  Portal: {
    attestationCounter: ({ address }: PortalNode, _values, { portalCounts }) => portalCounts.load(address),
    auditInformation: ({ address, portalBody }: PortalNode) => auditOfRegistered(address, portalBody),
  },
  Module: {
    auditInformation: ({ id, body }: ModuleNode) => auditOfRegistered(id, body),
  },
  Counter: {
    portals: async (_counter, _values, context) => (await readRegistered(context, 'portal')).length,
    modules: async (_counter, _values, context) => (await readRegistered(context, 'module')).length,
  },
})

/** The roots of an entity of the subgraph that the index does not keep: each answers with an error. */
function notIndexed(entity: string, what: string): TypeBehaviour<unknown, VeraxContext> {
  const resolve = () => {
    throw new NotFoundError(`This index does not keep the ${what}.`)
  }
  return { [entity]: resolve, [`${entity}s`]: resolve }
}

/** The totals of the chain. */
async function readCounter({ reader, chain, protocol }: VeraxContext): Promise<object> {
  const totals = (await reader.listTotals()).find(
    (each) => each.chainId === chain.chainId && each.protocol === protocol.name,
  )
  const { attestationCount = 0, schemaCount = 0 } = totals ?? {}
  return { id: counterId, attestations: attestationCount, schemas: schemaCount }
}
