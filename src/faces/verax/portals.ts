import { parseAddress, zeroAddress, type Address } from '../../model/hex.ts'
import { createValues } from '../protocolGraphql/fieldValues.ts'
import { portalOf } from '../records/presentAttestation.ts'
import { selectRows, type ListArguments } from '../protocolGraphql/listArguments.ts'
import { bytesListValue } from './readWhere.ts'
import { readRegistered } from './registered.ts'
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
