import type { StoredSchema } from '../indexReader.ts'
import type { ReadSession } from './readSession.ts'
import { schemaColumns, storedSchemaOfRow, type SchemaRow } from './storedSchema.ts'

/** Hours that count, and the hours after which an attestation counts half (decisions.md, "Order"). */
const trendingHours = 168
const halfLifeHours = 24

/**
 * Schemas by Σ ln(1 + attestations in an hour) · 2^(−age / 24) over the last 168 clock hours before the newest attestation.
 * Sums are taken from the newest hour to the oldest, so that the same index always gives the same order.
 */
export function listTrendingSchemas(session: ReadSession, limit: number): StoredSchema[] {
  const { connection } = session
  const newest = connection
    .statement<[number | null]>('SELECT max(attest_timestamp) FROM attestation')
    .get()?.[0]
  if (newest === null || newest === undefined) return []
  const lastHour = Math.floor(newest / 3600)
  const scores = new Map<number, number>()
  const rows = connection
    .statement<[number, number, number]>(
      'SELECT hour, schema_id, count FROM schema_hour WHERE hour > ? AND hour <= ? ORDER BY hour DESC, schema_id',
    )
    .iterate(lastHour - trendingHours, lastHour)
  for (const [hour, schemaId, count] of rows) {
    const score = Math.log1p(count) * 2 ** ((hour - lastHour) / halfLifeHours)
    scores.set(schemaId, (scores.get(schemaId) ?? 0) + score)
  }
  return bestSchemas(session, scores, limit)
}

/** The registered schemas with the highest scores; ties in the order of the top list. */
function bestSchemas(
  session: ReadSession,
  scores: ReadonlyMap<number, number>,
  limit: number,
): StoredSchema[] {
  const byScore = [...scores].sort((a, b) => b[1] - a[1])
  const candidates: { readonly schema: StoredSchema; readonly score: number; readonly position: number }[] =
    []
  let lastScore = Number.NaN
  for (const [schemaId, score] of byScore) {
    if (candidates.length >= limit && score !== lastScore) break
    const row = session.connection
      .statement<[...SchemaRow, number]>(
        `SELECT ${schemaColumns}, s.position FROM schema s WHERE s.id = ? AND s.registered = 1`,
      )
      .get(schemaId)
    if (row === undefined) continue
    lastScore = score
    const [position, ...rest] = [row[17], ...row.slice(0, 17)]
    candidates.push({ schema: storedSchemaOfRow(rest as SchemaRow), score, position })
  }
  candidates.sort(
    (a, b) =>
      b.score - a.score ||
      b.schema.attestationCount - a.schema.attestationCount ||
      a.schema.registerTimestamp - b.schema.registerTimestamp ||
      a.schema.key.chainId - b.schema.key.chainId ||
      a.position - b.position,
  )
  return candidates.slice(0, limit).map(({ schema }) => schema)
}
