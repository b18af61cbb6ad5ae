import type { StoredSchema } from '../indexReader.ts'
import { nthHighest, sumScores, trendingHours } from '../layout/trendingScores.ts'
import { findOnce } from '../reading/session.ts'
import type { ReadSession } from './readSession.ts'
import { schemaColumns, storedSchemaOfRow, type SchemaRow } from './storedSchema.ts'

/**
 * Schemas by Σ ln(1 + attestations in an hour) · 2^(−age / 24) over the last 168 clock hours before the newest attestation.
 * Sums are taken from the newest hour to the oldest, so that the same index always gives the same order.
 */
export function listTrendingSchemas(session: ReadSession, limit: number): Promise<readonly StoredSchema[]> {
  return findOnce(session.memo.trending, limit, async () => findTrending(session, limit))
}

function findTrending(session: ReadSession, limit: number): StoredSchema[] {
  const newest = session.connection
    .statement<[number | null]>('SELECT max(attest_timestamp) FROM attestation')
    .get()?.[0]
  if (newest === null || newest === undefined) return []
  const lastHour = Math.floor(newest / 3600)
  refreshHours(session, lastHour)
  return bestSchemas(session, sumScores(session.hours, lastHour), limit)
}

/** Brings the remembered hours up to date: reads those that have changed, and forgets those that do not count. */
function refreshHours({ connection, hours }: ReadSession, lastHour: number): void {
  const versions = new Map(
    connection
      .statement<[number, number]>('SELECT hour, version FROM hour_version WHERE hour > ? AND hour <= ?')
      .all(lastHour - trendingHours, lastHour),
  )
  for (const hour of hours.keys()) if (!versions.has(hour)) hours.delete(hour)
  for (const [hour, version] of versions) {
    if (hours.get(hour)?.version === version) continue
    const rows = connection
      .statement<[number, number]>(
        'SELECT schema_id, count FROM schema_hour WHERE hour = ? ORDER BY schema_id',
      )
      .all(hour)
    hours.set(hour, {
      version,
      schemaIds: Float64Array.from(rows, ([schemaId]) => schemaId),
      terms: Float64Array.from(rows, ([, count]) => Math.log1p(count)),
    })
  }
}

interface Candidate {
  readonly schema: StoredSchema
  readonly score: number
  readonly position: number
}

/** The registered schemas with the highest scores; ties in the order of the top list. */
function bestSchemas(session: ReadSession, scores: Float64Array, limit: number): StoredSchema[] {
  // Schemas that are referred to but not registered drop out only when they are looked up: then more are tried.
  for (let wanted = limit; ; wanted *= 4) {
    const lowest = nthHighest(scores, wanted)
    const candidates: Candidate[] = []
    for (let schemaId = 0; schemaId < scores.length; schemaId++) {
      const score = scores[schemaId] ?? 0
      const candidate = score > 0 && score >= lowest ? findCandidate(session, schemaId, score) : null
      if (candidate !== null) candidates.push(candidate)
    }
    if (candidates.length < limit && lowest > 0) continue
    return candidates
      .sort(inOrder)
      .slice(0, limit)
      .map(({ schema }) => schema)
  }
}

function findCandidate(session: ReadSession, schemaId: number, score: number): Candidate | null {
  const row = session.connection
    .statement<[...SchemaRow, number]>(
      `SELECT ${schemaColumns}, s.position FROM schema s WHERE s.id = ? AND s.registered = 1`,
    )
    .get(schemaId)
  if (row === undefined) return null
  const [position, ...rest] = [row[17], ...row.slice(0, 17)]
  return { schema: storedSchemaOfRow(rest as SchemaRow), score, position }
}

function inOrder(a: Candidate, b: Candidate): number {
  return (
    b.score - a.score ||
    b.schema.attestationCount - a.schema.attestationCount ||
    a.schema.registerTimestamp - b.schema.registerTimestamp ||
    a.schema.key.chainId - b.schema.key.chainId ||
    a.position - b.position
  )
}
