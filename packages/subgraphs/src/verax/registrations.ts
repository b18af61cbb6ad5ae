import { parseAddress, zeroAddress, type Address } from '@attestry/core/model/hex.ts'
import type { RegisteredKind } from '@attestry/core/index/indexQueries.ts'
import type { StoredRegistration } from '@attestry/core/index/storedRecords.ts'
import { createValues } from '../engine/fieldValues.ts'
import { selectRows, type ListArguments } from '../engine/graphNode/listArguments.ts'
import { portalOf } from '@attestry/server/records/presentAttestation.ts'
import { bytesListValue } from './readWhere.ts'
import type { VeraxContext } from './veraxContext.ts'

/** A portal in a query. */
export interface PortalNode {
  readonly address: Address
  /** What its registration says; null where that is not indexed. */
  readonly portalBody: string | null
}

/** The value of a field that filters and orders take. */
export const portalValue = createValues<PortalNode>({
  id: ({ address }) => address,
  name: (portal) => portalOf(portal).name,
  description: (portal) => portalOf(portal).description,
  ownerAddress: (portal) => portalOf(portal).owner ?? zeroAddress,
  ownerName: (portal) => portalOf(portal).ownerName,
  isRevocable: (portal) => portalOf(portal).isRevocable ?? false,
  modules: (portal) => bytesListValue(portalOf(portal).modules ?? []),
})

/** The portals whose registration is indexed. */
export async function registeredPortals(context: VeraxContext): Promise<readonly PortalNode[]> {
  const portals = await readRegistered(context, 'portal')
  return portals.map(({ address, body }) => ({ address, portalBody: body }))
}

/** The registered portals of a list. */
export async function listPortals(
  context: VeraxContext,
  args: ListArguments,
): Promise<readonly PortalNode[]> {
  return selectRows(context.budget, await registeredPortals(context), portalValue, args)
}

/** The portal with an address, registered or named by an attestation; null where there is none. */
export async function findPortal(context: VeraxContext, id: string): Promise<PortalNode | null> {
  const address = parseAddress(id)
  if (address === null) return null
  const registered = (await registeredPortals(context)).find((portal) => portal.address === address)
  if (registered !== undefined) return registered
  return (await context.portalCounts.load(address)) === 0 ? null : { address, portalBody: null }
}

/** A module in a query. */
export interface ModuleNode {
  readonly id: Address
  readonly moduleAddress: Address
  readonly name: string
  readonly description: string
  readonly body: string
}

/** The modules whose registration is indexed. */
export async function registeredModules(context: VeraxContext): Promise<readonly ModuleNode[]> {
  const modules = await readRegistered(context, 'module')
  return modules.map(({ address, body }) => {
    // Protocols make the body.
    const { name, description } = JSON.parse(body) as Pick<ModuleNode, 'name' | 'description'>
    return { id: address, moduleAddress: address, name, description, body }
  })
}

/** The registered modules of a list. */
export async function listModules(
  context: VeraxContext,
  args: ListArguments,
): Promise<readonly ModuleNode[]> {
  // Filters and orders take the members of a module alone (`models.ts`).
  const valueOf = (module: ModuleNode, field: string) => module[field as keyof ModuleNode]
  return selectRows(context.budget, await registeredModules(context), valueOf, args)
}

/** The registered module with an address; null where there is none. */
export async function findModule(context: VeraxContext, id: string): Promise<ModuleNode | null> {
  const address = parseAddress(id)
  return (await registeredModules(context)).find((module) => module.id === address) ?? null
}

/** The portals or modules whose registration is indexed. */
async function readRegistered(
  { reader, chain, protocol, budget }: VeraxContext,
  of: RegisteredKind,
): Promise<readonly StoredRegistration[]> {
  const found = await reader.listRegistered(chain.chainId, protocol.name, of)
  await budget.readRows(found, ({ body }) => body.length)
  return found
}
