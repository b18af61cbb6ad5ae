import type { Address } from '@attestry/core/model/hex.ts'
import type { Page, PageRequest } from '@attestry/core/index/indexQueries.ts'
import type { StoredSchema } from '@attestry/core/index/storedRecords.ts'
import { listKind, type RankList } from '../layout/listKinds.ts'
import { findAddress } from './addressLists.ts'
import { pageBounds } from './locateOffset.ts'
import { countList } from './readList.ts'
import type { ReadSession } from './session.ts'
import { otherResolverArm, readSchemaPage, registrantArm } from './sliceSchemas.ts'

/**
 * The schemas that an address registered, and those that it is the resolver of, in the order of listings. They are two
 * disjoint lists. Each is walked in the order of its index and merged, so that a page costs the same however many there
 * are.
 */
export async function listSchemasByAddress(
  session: ReadSession,
  account: Address,
  request: PageRequest,
): Promise<Page<StoredSchema>> {
  const address = await findAddress(session.connection, account)
  if (address === null) return { total: 0, rows: [] }
  const list = (kind: RankList['kind']): RankList => ({ kind, ownerId: address.id, scopeId: 0 })
  const resolved = list(listKind.schemasOfResolver)
  const lists = [
    { list: list(listKind.schemasOfRegistrant), count: address.schemasCreated },
    { list: resolved, count: await countResolved(session, resolved) },
  ]
  const total = lists.reduce((sum, { count }) => sum + count, 0)
  const bounds = await pageBounds(session, lists, total, request)
  if (bounds === null) return { total, rows: [] }
  const { dialect } = session.connection
  const arms = [registrantArm(dialect, address.id), otherResolverArm(dialect, address.id)]
  return { total, rows: await readSchemaPage(session, arms, bounds) }
}

/** Counted in the index, and remembered if that takes a while. */
async function countResolved(session: ReadSession, list: RankList): Promise<number> {
  const { resolved } = session.memo
  const known = resolved.get(list.ownerId)
  if (known !== undefined) return known
  const count = await countList(session.connection, list)
  if (count > session.rankThreshold) resolved.set(list.ownerId, count)
  return count
}
