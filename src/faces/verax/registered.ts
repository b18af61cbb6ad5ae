import type { RegisteredKind } from '../../store/indexQueries.ts'
import type { StoredRegistration } from '../../store/storedRecords.ts'
import type { VeraxContext } from './veraxContext.ts'

/** The portals or modules whose registration is indexed. */
export async function readRegistered(
  { reader, chain, protocol, budget }: VeraxContext,
  of: RegisteredKind,
): Promise<readonly StoredRegistration[]> {
  const found = await reader.listRegistered(chain.chainId, protocol.name, of)
  await budget.readRows(found, ({ body }) => body.length)
  return found
}
