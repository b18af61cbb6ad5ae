import type { Address } from '../../model/hex.ts'
import type { Page, PageRequest, StoredSchema } from '../indexReader.ts'
import { listKind, type RankList } from '../layout/listKinds.ts'
import { findAddress } from './addressLists.ts'
import { pageBounds } from './locateOffset.ts'
import { countList } from './readList.ts'
import type { ReadSession } from './readSession.ts'
import { schemaColumns, storedSchemaOfRow, type SchemaRow } from './storedSchema.ts'

/**
 * The schemas that an address registered, and those that it is the resolver of, in the order of listings: two disjoint lists, each
 * walked in the order of its index and merged, so that a page costs the same however many there are.
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
  const { maxTimestamp, limit, skip } = bounds
  const walk = [address.id, maxTimestamp, limit + skip]
  const rows = await session.connection.all<SchemaRow>(pageSql, ...walk, ...walk, limit, skip)
  return { total, rows: rows.map(storedSchemaOfRow) }
}

/** Each walk ends at the last entry that the page may need of it. */
const pageSql =
  `SELECT ${schemaColumns} FROM (${walkSql('registered AND registrant_id = ?')} UNION ALL ` +
  `${walkSql('resolver_id = ? AND resolver_id <> registrant_id')} ` +
  'ORDER BY 1 DESC, 2 DESC, 3 DESC LIMIT ? OFFSET ?) AS k JOIN schema s ON s.id = k.id ' +
  'ORDER BY k.register_timestamp DESC, k.chain_id DESC, k.position DESC'

function walkSql(condition: string): string {
  return (
    `(SELECT register_timestamp, chain_id, position, id FROM schema WHERE ${condition} ` +
    'AND register_timestamp <= ? ORDER BY register_timestamp DESC, chain_id DESC, position DESC LIMIT ?)'
  )
}

/** Counted in the index, and remembered where that takes a while. */
async function countResolved(session: ReadSession, list: RankList): Promise<number> {
  const { resolved } = session.memo
  const known = resolved.get(list.ownerId)
  if (known !== undefined) return known
  const count = await countList(session.connection, list)
  if (count > session.rankThreshold) resolved.set(list.ownerId, count)
  return count
}
