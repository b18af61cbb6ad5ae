import { parseAddress, zeroAddress, type Address } from '@attestry/core/model/hex.ts'
import type { RegisteredKind } from '@attestry/core/index/indexQueries.ts'
import type { StoredRegistration } from '@attestry/core/index/storedRecords.ts'
import { portalOf } from '@attestry/server/records/presentAttestation.ts'
import { comparedValues, type GraphNodeEntity } from '../engine/graphNode/entity.ts'
import { openWhole } from '../engine/rowSource.ts'
import { field } from './fields.ts'
import type { VeraxContext } from './veraxContext.ts'

/** A portal in a query. */
export interface PortalNode {
  readonly address: Address
  /** The JSON of its registration; null if that is not indexed. */
  readonly portalBody: string | null
}

const portalFields: GraphNodeEntity<PortalNode, VeraxContext>['fields'] = {
  id: field('ID!', ({ address }) => address),
  ownerAddress: field('Bytes!', (portal) => portalOf(portal).owner ?? zeroAddress, {
    description: "Zeros where the portal's registration is not known; the texts are empty then.",
  }),
  modules: field('[Bytes!]', (portal) => portalOf(portal).modules, {
    description: 'null where they are not known.',
  }),
  isRevocable: field('Boolean!', (portal) => portalOf(portal).isRevocable ?? false, {
    description: 'false where it is not known.',
  }),
  name: field('String!', (portal) => portalOf(portal).name),
  description: field('String!', (portal) => portalOf(portal).description),
  ownerName: field('String!', (portal) => portalOf(portal).ownerName),
}

/** Lists hold the portals whose registration is indexed; one is found that an attestation names, too. */
export const portalEntity: GraphNodeEntity<PortalNode, VeraxContext> = {
  name: 'Portal',
  fields: portalFields,
  walkedFields: [],
  ties: 'id',
  valueOf: comparedValues(portalFields),
  open: async (context) => openWhole(await registeredPortals(context)),
  async find(context, id) {
    const address = parseAddress(id)
    if (address === null) return null
    const registered = (await registeredPortals(context)).find((portal) => portal.address === address)
    if (registered !== undefined) return registered
    return (await context.portalCounts.load(address)) === 0 ? null : { address, portalBody: null }
  },
}

async function registeredPortals(context: VeraxContext): Promise<readonly PortalNode[]> {
  const portals = await readRegistered(context, 'portal')
  return portals.map(({ address, body }) => ({ address, portalBody: body }))
}

/** A module in a query. */
export interface ModuleNode {
  readonly id: Address
  readonly name: string
  readonly description: string
  readonly body: string
}

const moduleFields: GraphNodeEntity<ModuleNode, VeraxContext>['fields'] = {
  id: field('ID!', ({ id }) => id),
  moduleAddress: field('Bytes!', ({ id }) => id),
  name: field('String!', ({ name }) => name),
  description: field('String!', ({ description }) => description),
}

/** The modules whose registration is indexed. */
export const moduleEntity: GraphNodeEntity<ModuleNode, VeraxContext> = {
  name: 'Module',
  fields: moduleFields,
  walkedFields: [],
  ties: 'id',
  valueOf: comparedValues(moduleFields),
  open: async (context) => openWhole(await registeredModules(context)),
  async find(context, id) {
    const address = parseAddress(id)
    return (await registeredModules(context)).find((module) => module.id === address) ?? null
  },
}

async function registeredModules(context: VeraxContext): Promise<readonly ModuleNode[]> {
  const modules = await readRegistered(context, 'module')
  return modules.map(({ address, body }) => {
    // Protocols make the body.
    const { name, description } = JSON.parse(body) as Pick<ModuleNode, 'name' | 'description'>
    return { id: address, name, description, body }
  })
}

/** The portals or modules whose registration is indexed. */
export async function readRegistered(
  { reader, chain, protocol, budget }: VeraxContext,
  of: RegisteredKind,
): Promise<readonly StoredRegistration[]> {
  const found = await reader.listRegistered(chain.chainId, protocol.name, of)
  await budget.readRows(found, ({ body }) => body.length)
  return found
}
