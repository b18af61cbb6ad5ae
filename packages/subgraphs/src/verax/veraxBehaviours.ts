import { NotFoundError } from '@attestry/core/errors/apiErrors.ts'
import { zeroAddress } from '@attestry/core/model/hex.ts'
import type { FieldBehaviour, TypeBehaviour } from '@attestry/server/graphql/fields/fieldBehaviour.ts'
import type { ListArguments } from '../engine/graphNode/listArguments.ts'
import { portalOf } from '@attestry/server/records/presentAttestation.ts'
import {
  attestationValue,
  decodedDataOf,
  expirationOf,
  portalNode,
  readAttestationValue,
  type AttestationRow,
} from './attestationRows.ts'
import { findAttestation, listAttestations } from './attestations.ts'
import { readList } from './readWhere.ts'
import { auditOfAttestation, auditOfRegistered, auditOfSchema } from './audits.ts'
import { atBlock } from './blockHeight.ts'
import type { VeraxEntity } from './models.ts'
import {
  findModule,
  findPortal,
  listModules,
  listPortals,
  registeredModules,
  registeredPortals,
  type ModuleNode,
  type PortalNode,
} from './registrations.ts'
import { findSchema, listSchemas, schemaValue, type SchemaNode } from './schemas.ts'
import type { VeraxContext } from './veraxContext.ts'

type Behaviours<Source> = TypeBehaviour<Source, VeraxContext>

const counterId = 'counter'

export const veraxBehaviours: Readonly<Record<string, TypeBehaviour<never, VeraxContext>>> = {
  Query: {
    ...roots('Attestation', findAttestation, listAttestations),
    ...roots('Schema', findSchema, listSchemas),
    ...roots('Portal', findPortal, listPortals),
    ...roots('Module', findModule, listModules),
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
  Attestation: attestationBehaviours(),
  Schema: schemaBehaviours(),
  Portal: portalBehaviours(),
  Module: moduleBehaviours(),
  Counter: {
    portals: async (_counter, _values, context) => (await registeredPortals(context)).length,
    modules: async (_counter, _values, context) => (await registeredModules(context)).length,
  },
}

/** The roots of an entity, which answer as of a block: one record by its id, and a list. */
function roots<Node>(
  entity: VeraxEntity,
  find: (context: VeraxContext, id: string) => Promise<Node | null>,
  list: (context: VeraxContext, list: ListArguments) => Promise<readonly Node[]>,
): Behaviours<unknown> {
  const name = entity.toLowerCase()
  return {
    [name]: (_root, { id, block }, context) => atBlock(context, block, (state) => find(state, String(id))),
    [`${name}s`]: (_root, values, context) => {
      const asked = readList(entity, values)
      return atBlock(context, values['block'], (state) => list(state, asked))
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

function attestationBehaviours(): Behaviours<AttestationRow> {
  const fields: Record<string, FieldBehaviour<AttestationRow, VeraxContext>> = {}
  for (const field of ['id', 'replacedBy', 'attester', 'revoked', 'subject', 'attestationData']) {
    fields[field] = (row) => attestationValue(row, field)
  }
  for (const field of ['attestedDate', 'revocationDate']) {
    fields[field] = (row) => String(attestationValue(row, field))
  }
  return {
    ...fields,
    expirationDate: expirationOf,
    version: async (row, _values, context) => String(await readAttestationValue(context, row, 'version')),
    encodedSubject: (row, _values, context) => readAttestationValue(context, row, 'encodedSubject'),
    auditInformation: (row, _values, context) => auditOfAttestation(context, row),
    decodedData: (row, _values, context) => decodedDataOf(context, row),
    schema: async (row, _values, context): Promise<SchemaNode> => {
      const id = row.stored.schemaId
      return { id, stored: await context.schemas.load(id) }
    },
    portal: portalNode,
  }
}

function schemaBehaviours(): Behaviours<SchemaNode> {
  const fields: Record<string, FieldBehaviour<SchemaNode, VeraxContext>> = {}
  for (const field of ['name', 'description', 'context', 'schema', 'attestationCounter']) {
    const unknown = field === 'attestationCounter' ? 0 : ''
    fields[field] = ({ stored }) => (stored === null ? unknown : schemaValue(stored, field))
  }
  return {
    ...fields,
    auditInformation: ({ stored }, _values, context) =>
      stored === null ? null : auditOfSchema(context, stored),
  }
}

function portalBehaviours(): Behaviours<PortalNode> {
  const known =
    (member: 'name' | 'description' | 'ownerName' | 'modules'): FieldBehaviour<PortalNode, VeraxContext> =>
    (portal) =>
      portalOf(portal)[member]
  return {
    id: ({ address }) => address,
    ownerAddress: (portal) => portalOf(portal).owner ?? zeroAddress,
    modules: known('modules'),
    isRevocable: (portal) => portalOf(portal).isRevocable ?? false,
    name: known('name'),
    description: known('description'),
    ownerName: known('ownerName'),
    attestationCounter: ({ address }, _values, { portalCounts }) => portalCounts.load(address),
    auditInformation: ({ address, portalBody }) => auditOfRegistered(address, portalBody),
  }
}

function moduleBehaviours(): Behaviours<ModuleNode> {
  return { auditInformation: ({ id, body }) => auditOfRegistered(id, body) }
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
