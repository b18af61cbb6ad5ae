import { NotFoundError } from '../../errors/apiErrors.ts'
import type { LocalId } from '../../model/compositeId.ts'
import { parseLocalId } from '../../model/compositeId.ts'
import { zeroAddress } from '../../model/hex.ts'
import type { StoredSchema } from '../../store/indexReader.ts'
import type { FieldBehaviour, TypeBehaviour } from '../graphql/fields/fieldBehaviour.ts'
import { portalOf } from '../rest/presentAttestation.ts'
import { attestationValue, decodedDataOf, expirationOf, type AttestationRow } from './attestationRows.ts'
import { schemaIdOfRow } from '../protocolGraphql/storedMembers.ts'
import { findAttestation, listAttestations } from './attestations.ts'
import { readListArguments } from './listArguments.ts'
import { findModule, listModules, registeredModules } from './modules.ts'
import { findPortal, listPortals, registeredPortals, type PortalNode } from './portals.ts'
import { listSchemas, schemaValue } from './schemas.ts'
import type { VeraxContext } from './veraxContext.ts'

/** A schema in a query; one that imported attestations name and that was never registered has an id alone. */
interface SchemaNode {
  readonly id: LocalId
  readonly stored: StoredSchema | null
}

type Behaviours<Source> = TypeBehaviour<Source, VeraxContext>

const counterId = 'counter'

export const veraxBehaviours: Readonly<Record<string, TypeBehaviour<never, VeraxContext>>> = {
  Query: {
    attestation: {
      resolve: async (_root, { id }, context) => {
        const stored = await findAttestation(context, String(id))
        return stored && { stored }
      },
    },
    attestations: {
      resolve: (_root, values, context) =>
        listAttestations(context, readListArguments('Attestation', values)),
    },
    schema: {
      resolve: async (_root, { id }, context) => {
        const localId = parseLocalId(String(id))
        const stored = localId && (await context.schemas.load(localId))
        return stored && { id: localId, stored }
      },
    },
    schemas: {
      resolve: async (_root, values, context) =>
        (await listSchemas(context, readListArguments('Schema', values))).map((stored): SchemaNode => ({
          id: stored.key.localId,
          stored,
        })),
    },
    portal: { resolve: (_root, { id }, context) => findPortal(context, String(id)) },
    portals: {
      resolve: (_root, values, context) => listPortals(context, readListArguments('Portal', values)),
    },
    module: { resolve: (_root, { id }, context) => findModule(context, String(id)) },
    modules: {
      resolve: (_root, values, context) => listModules(context, readListArguments('Module', values)),
    },
    ...notIndexed('issuer', 'issuers of Verax; ask isIssuer of the PortalRegistry'),
    ...notIndexed(
      'registryVersion',
      'versions of the registry; ask getVersionNumber of the AttestationRegistry',
    ),
    counter: {
      resolve: (_root, { id }, context) => (id === counterId ? readCounter(context) : null),
    },
    counters: {
      resolve: async (_root, { first, skip }, context) =>
        first === 0 || Number(skip ?? 0) > 0 ? [] : [await readCounter(context)],
    },
    _meta: { resolve: (_root, _values, context) => readMeta(context) },
  },
  Attestation: attestationBehaviours(),
  Schema: schemaBehaviours(),
  Portal: portalBehaviours(),
  Counter: {
    portals: {
      resolve: async (_counter, _values, context) => (await registeredPortals(context)).length,
    },
    modules: {
      resolve: async (_counter, _values, context) => (await registeredModules(context)).length,
    },
  },
}

/** The roots of an entity of the subgraph that the index does not keep: each answers with an error. */
function notIndexed(entity: string, what: string): Behaviours<unknown> {
  const resolve = () => {
    throw new NotFoundError(`This index does not keep the ${what}.`)
  }
  return { [entity]: { resolve }, [`${entity}s`]: { resolve } }
}

function attestationBehaviours(): Behaviours<AttestationRow> {
  const fields: Record<string, FieldBehaviour<AttestationRow, VeraxContext>> = {}
  for (const field of ['id', 'replacedBy', 'attester', 'revoked', 'subject', 'attestationData']) {
    fields[field] = { resolve: (row) => attestationValue(row, field) }
  }
  for (const field of ['attestedDate', 'revocationDate']) {
    fields[field] = { resolve: (row) => String(attestationValue(row, field)) }
  }
  return {
    ...fields,
    expirationDate: { resolve: expirationOf },
    version: { resolve: () => '0' },
    encodedSubject: { resolve: (row) => attestationValue(row, 'subject') },
    decodedData: { resolve: (row, _values, context) => decodedDataOf(context, row) },
    schema: {
      resolve: async (row, _values, context): Promise<SchemaNode> => {
        const id = schemaIdOfRow(row)
        return { id, stored: await context.schemas.load(id) }
      },
    },
    portal: {
      resolve: ({ stored }): PortalNode => ({
        address: stored.portal ?? zeroAddress,
        portalBody: stored.portalBody,
      }),
    },
  }
}

function schemaBehaviours(): Behaviours<SchemaNode> {
  const fields: Record<string, FieldBehaviour<SchemaNode, VeraxContext>> = {}
  for (const field of ['name', 'description', 'context', 'schema', 'attestationCounter']) {
    const unknown = field === 'attestationCounter' ? 0 : ''
    fields[field] = { resolve: ({ stored }) => (stored === null ? unknown : schemaValue(stored, field)) }
  }
  return fields
}

function portalBehaviours(): Behaviours<PortalNode> {
  const known = (
    member: 'name' | 'description' | 'ownerName' | 'modules',
  ): FieldBehaviour<PortalNode, VeraxContext> => ({ resolve: (portal) => portalOf(portal)[member] })
  return {
    id: { resolve: ({ address }) => address },
    ownerAddress: { resolve: (portal) => portalOf(portal).owner ?? zeroAddress },
    modules: known('modules'),
    isRevocable: { resolve: (portal) => portalOf(portal).isRevocable ?? false },
    name: known('name'),
    description: known('description'),
    ownerName: known('ownerName'),
    attestationCounter: {
      resolve: ({ address }, _values, { portalCounts }) => portalCounts.load(address),
    },
  }
}

/** The totals of the chain. */
async function readCounter({ queries, chain, protocol }: VeraxContext): Promise<object> {
  const totals = (await queries.listTotals()).find(
    (each) => each.chainId === chain.chainId && each.protocol === protocol.name,
  )
  const { attestationCount = 0, schemaCount = 0 } = totals ?? {}
  return { id: counterId, attestations: attestationCount, schemas: schemaCount }
}

/** How far the chain is indexed; null before its first block. */
async function readMeta({ reader, chain }: VeraxContext): Promise<object | null> {
  const overview = (await reader.listChains()).find(({ status }) => status.chainId === chain.chainId)
  if (overview === undefined || overview.status.indexedBlock === null) return null
  const { indexedBlock, indexedTimestamp } = overview.status
  return {
    block: { number: indexedBlock, timestamp: indexedTimestamp },
    hasIndexingErrors: overview.status.phase === 'stopped',
  }
}
