import { parseAddress, type Address } from '../../model/hex.ts'
import type { FieldValue } from '../protocolGraphql/condition.ts'
import { createMatcher } from '../protocolGraphql/matchCondition.ts'
import { sortRows } from '../protocolGraphql/sortRows.ts'
import { portalOf } from '../rest/presentAttestation.ts'
import type { ListArguments } from './listArguments.ts'
import type { VeraxContext } from './veraxContext.ts'

/** A portal in a query. */
export interface PortalNode {
  readonly address: Address
  /** What its registration says; null where that is not indexed. */
  readonly portalBody: string | null
}

/** The value of a field that filters and orders take. */
export function portalValue(portal: PortalNode, field: string): FieldValue {
  const { name, description, owner, ownerName } = portalOf(portal)
  switch (field) {
    case 'id':
      return portal.address
    case 'name':
      return name
    case 'description':
      return description
    case 'ownerAddress':
      return owner ?? ''
    case 'ownerName':
      return ownerName
    default:
      throw new TypeError(`a portal has no field ${field}`)
  }
}

/** The portals whose registration is indexed. */
export async function registeredPortals(context: VeraxContext): Promise<readonly PortalNode[]> {
  const { queries, chain, protocol, budget } = context
  const portals = await queries.listPortals(chain.chainId, protocol.name)
  await budget.readRows(
    portals.length,
    portals.reduce((sum, { body }) => sum + body.length, 0),
  )
  return portals.map(({ address, body }) => ({ address, portalBody: body }))
}

/** The registered portals of a list, in its order and then by id. */
export async function listPortals(
  context: VeraxContext,
  { condition, orderBy, isDescending, first, skip }: ListArguments,
): Promise<readonly PortalNode[]> {
  const isMatch = createMatcher(condition, portalValue, context.budget.compare)
  const matching = (await registeredPortals(context)).filter(isMatch)
  const keys = [orderBy, 'id'].map((field) => ({ field, isDescending }))
  return sortRows(matching, keys, portalValue).slice(skip, skip + first)
}

/** The portal with an address, registered or named by an attestation; null where there is none. */
export async function findPortal(context: VeraxContext, id: string): Promise<PortalNode | null> {
  const address = parseAddress(id)
  if (address === null) return null
  const registered = (await registeredPortals(context)).find((portal) => portal.address === address)
  if (registered !== undefined) return registered
  return (await context.portalCounts.load(address)) === 0 ? null : { address, portalBody: null }
}
