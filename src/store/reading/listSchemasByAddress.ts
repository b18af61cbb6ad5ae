import type { Address } from '../../model/hex.ts'
import type { Page, PageRequest, StoredSchema } from '../indexReader.ts'
import { listKind, type RankList } from '../layout/listKinds.ts'
import { perDialect } from '../port/dialect.ts'
import { findAddress } from './addressLists.ts'
import { pageBounds } from './locateOffset.ts'
import { countList } from './readList.ts'
import type { ReadSession } from './session.ts'
import { schemaColumns, storedSchemaOfRow, type SchemaRow } from './storedSchema.ts'

/**
 * The schemas that an address registered, and those that it is the resolver of, in the order of listings: two disjoint
 * lists, each walked in the order of its index and merged, so that a page costs the same however many there are.
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
  const { connection } = session
  const { dialect } = connection
  const walks = walksOf(dialect).map((walk) => ({ ...walk, parameters: [address.id, maxTimestamp] }))
  const keys = dialect.merged(walks, '1 DESC, 2 DESC, 3 DESC', limit, skip)
  const rows = await connection.all<SchemaRow>(
    `SELECT ${schemaColumns} FROM (${keys.sql}) AS k ${dialect.drivenJoin} schema s ON s.id = k.id ` +
      'ORDER BY k.t DESC, k.c DESC, k.p DESC',
    ...keys.parameters,
  )
  return { total, rows: rows.map((row) => storedSchemaOfRow(dialect, row)) }
}

const walksOf = perDialect((dialect) => {
  const walk = (index: string, condition: string) => ({
    sql:
      'SELECT s.register_timestamp AS t, s.chain_id AS c, s.position AS p, s.id AS id ' +
      `FROM ${dialect.walked('schema', 's', index)} WHERE ${condition} AND s.register_timestamp <= ?`,
    order: 's.register_timestamp DESC, s.chain_id DESC, s.position DESC',
  })
  return [
    walk('schema_by_registrant', `${dialect.flag('s.registered', true)} AND s.registrant_id = ?`),
    walk('schema_by_other_resolver', 's.resolver_id = ? AND s.resolver_id <> s.registrant_id'),
  ]
})

/** Counted in the index, and remembered where that takes a while. */
async function countResolved(session: ReadSession, list: RankList): Promise<number> {
  const { resolved } = session.memo
  const known = resolved.get(list.ownerId)
  if (known !== undefined) return known
  const count = await countList(session.connection, list)
  if (count > session.rankThreshold) resolved.set(list.ownerId, count)
  return count
}
