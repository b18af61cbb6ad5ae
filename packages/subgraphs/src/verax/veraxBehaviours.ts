import { NotFoundError } from '@attestry/core/errors/apiErrors.ts'
import type { TypeBehaviour } from '@attestry/server/graphql/fields/fieldBehaviour.ts'
import { fieldBehaviours, type GraphNodeEntity } from '../engine/graphNode/entity.ts'
import { findRow, readList } from '../engine/graphNode/lists.ts'
import { listRows } from '../engine/listRows.ts'
import { attestationEntity, decodedDataOf, portalNode, type AttestationRow } from './attestations.ts'
import { auditOfAttestation, auditOfRegistered, auditOfSchema } from './audits.ts'
import { atBlock } from './blockHeight.ts'
import { veraxDialect } from './dialect.ts'
import {
  moduleEntity,
  portalEntity,
  readRegistered,
  type ModuleNode,
  type PortalNode,
} from './registrations.ts'
import { schemaEntity, type SchemaNode } from './schemas.ts'
import type { VeraxContext } from './veraxContext.ts'

type Behaviours<Source> = TypeBehaviour<Source, VeraxContext>

const counterId = 'counter'

export const veraxBehaviours: Readonly<Record<string, TypeBehaviour<never, VeraxContext>>> = {
  Query: {
    ...roots(attestationEntity),
    ...roots(schemaEntity),
    ...roots(portalEntity),
    ...roots(moduleEntity),
    ...notIndexed('issuer', 'issuers of Verax; ask isIssuer of the PortalRegistry'),
    ...notIndexed(
      'registryVersion',
      'versions of the registry; ask getVersionNumber of the AttestationRegistry',
    ),
    counter: (_root, { id }, context) => (id === counterId ? readCounter(context) : null),
    counters: async (_root, { first, skip }, context) =>
      first === 0 || Number(skip ?? 0) > 0 ? [] : [await readCounter(context)],
    _meta: (_root, { block }, context) => atBlock(context, block, readMeta),
  },
  Attestation: {
    ...fieldBehaviours(attestationEntity.fields),
    auditInformation: (row: AttestationRow, _values, context) => auditOfAttestation(context, row),
    decodedData: (row: AttestationRow, _values, context) => decodedDataOf(context, row),
    schema: async ({ stored }: AttestationRow, _values, { schemas }): Promise<SchemaNode> => {
      const id = stored.schemaId
      return { id, stored: await schemas.load(id) }
    },
    portal: portalNode,
  },
  Schema: {
    ...fieldBehaviours(schemaEntity.fields),
    auditInformation: ({ stored }: SchemaNode, _values, context) =>
      stored === null ? null : auditOfSchema(context, stored),
  },
  Portal: {
    ...fieldBehaviours(portalEntity.fields),
    attestationCounter: ({ address }: PortalNode, _values, { portalCounts }) => portalCounts.load(address),
    auditInformation: ({ address, portalBody }: PortalNode) => auditOfRegistered(address, portalBody),
  },
  Module: {
    ...fieldBehaviours(moduleEntity.fields),
    auditInformation: ({ id, body }: ModuleNode) => auditOfRegistered(id, body),
  },
  Counter: {
    portals: async (_counter, _values, context) => (await readRegistered(context, 'portal')).length,
    modules: async (_counter, _values, context) => (await readRegistered(context, 'module')).length,
  },
}

/** The roots of an entity, which answer as of a block: one record by its id, and a list. */
function roots<Row extends object>(entity: GraphNodeEntity<Row, VeraxContext>): Behaviours<unknown> {
  const name = entity.name.toLowerCase()
  return {
    [name]: (_root, { id, block }, context) =>
      atBlock(context, block, (state) => findRow(entity, state, String(id))),
    [`${name}s`]: (_root, values, context) => {
      const list = readList(veraxDialect, entity, values)
      return atBlock(context, values['block'], (state) => listRows(entity, state, list))
    },
  }
}

/** The roots of an entity of the subgraph that the index does not keep: each answers with an error. */
function notIndexed(entity: string, what: string): Behaviours<unknown> {
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

/** How far the chain is indexed, or the block that is asked about; null before its first block. */
async function readMeta({ reader, chain, protocol, past }: VeraxContext): Promise<object | null> {
  const overview = (await reader.listChains()).find(({ status }) => status.chainId === chain.chainId)
  if (overview === undefined || overview.status.indexedBlock === null) return null
  const { indexedBlock, indexedTimestamp } = overview.status
  const newest = { number: indexedBlock, timestamp: indexedTimestamp }
  return {
    deployment: `${protocol.name}-${chain.chainId}`,
    block: past === null ? newest : { number: past.number, hash: past.hash, timestamp: past.at },
    hasIndexingErrors: overview.status.phase === 'stopped' || overview.defect !== null,
  }
}
