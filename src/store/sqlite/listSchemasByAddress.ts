import type { Address } from '../../model/hex.ts'
import type { Page, PageRequest, StoredSchema } from '../indexReader.ts'
import { listKind, type RankList } from '../layout/listKinds.ts'
import { findAddress } from './addressLists.ts'
import { countList, pageBounds } from './locateOffset.ts'
import type { ReadSession } from './readSession.ts'
import { schemaColumns, storedSchemaOfRow, type SchemaRow } from './storedSchema.ts'

/**
 * The schemas that an address registered, and those that it is the resolver of, in the order of listings: two disjoint lists, each
 * walked in the order of its index and merged, so that a page costs the same however many there are.
 */
export function listSchemasByAddress(
  session: ReadSession,
  account: Address,
  request: PageRequest,
): Page<StoredSchema> {
  const address = findAddress(session, account)
  if (address === null) return { total: 0, rows: [] }
  const list = (kind: RankList['kind']): RankList => ({ kind, ownerId: address.id, scopeId: 0 })
  const lists = [
    { list: list(listKind.schemasOfRegistrant), count: address.schemasCreated },
    {
      list: list(listKind.schemasOfResolver),
      count: countResolved(session, list(listKind.schemasOfResolver)),
    },
  ]
  const total = lists.reduce((sum, { count }) => sum + count, 0)
  const bounds = pageBounds(session, lists, total, request)
  if (bounds === null) return { total, rows: [] }
  const rows = session.connection
    .statement<SchemaRow>(pageSql)
    .all(address.id, bounds.maxTimestamp, address.id, bounds.maxTimestamp, bounds.limit, bounds.skip)
    .map(storedSchemaOfRow)
  return { total, rows }
}

const pageSql =
  `SELECT ${schemaColumns} FROM (` +
  walkSql('schema_by_registrant', 'registered = 1 AND registrant_id = ?') +
  ' UNION ALL ' +
  walkSql('schema_by_other_resolver', 'resolver_id = ? AND resolver_id <> registrant_id') +
  ' ORDER BY 1 DESC, 2 DESC, 3 DESC LIMIT +? OFFSET +?) k ' +
  'CROSS JOIN schema s ON s.id = k.id ORDER BY k.t DESC, k.c DESC, k.p DESC'

function walkSql(index: string, condition: string): string {
  return (
    'SELECT register_timestamp AS t, chain_id AS c, position AS p, id ' +
    `FROM schema INDEXED BY ${index} WHERE ${condition} AND register_timestamp <= ?`
  )
}

/** Counted in the index, and remembered where that takes a while. */
function countResolved(session: ReadSession, list: RankList): number {
  const { resolved } = session.memo
  const known = resolved.get(list.ownerId)
  if (known !== undefined) return known
  const count = countList(session, list)
  if (count > session.rankThreshold) resolved.set(list.ownerId, count)
  return count
}
