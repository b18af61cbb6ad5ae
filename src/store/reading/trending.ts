import type { StoredSchema } from '../indexReader.ts'
import { nthHighest, sumScores, trendingHours, type HourTerms } from '../layout/trendingScores.ts'
import { findOnce, type ReadSession } from './session.ts'
import { schemaColumns, storedSchemaOfRow, type SchemaRow } from './storedSchema.ts'

/**
 * Lists schemas by Σ ln(1 + attestations in an hour) · 2^(−age / 24) over the last 168 clock hours before the newest
 * attestation. Sums run from the newest hour to the oldest, so that one index always gives one order.
 */
export function listTrendingSchemas(session: ReadSession, limit: number): Promise<readonly StoredSchema[]> {
  return findOnce(session.memo.trending, limit, () => findTrending(session, limit))
}

async function findTrending(session: ReadSession, limit: number): Promise<StoredSchema[]> {
  const row = await session.connection.get<[number | null]>('SELECT max(attest_timestamp) FROM attestation')
  const newest = row?.[0] ?? null
  if (newest === null) return []
  const lastHour = Math.floor(newest / 3600)
  const hours = await readHours(session, lastHour)
  return await bestSchemas(session, sumScores(hours, lastHour), limit)
}

/** The hours that count, as the snapshot has them. Hours that have not changed are remembered, the others are read. */
async function readHours(
  { connection, hours: known }: ReadSession,
  lastHour: number,
): Promise<Map<number, HourTerms>> {
  const versions = await connection.all<[number, number]>(
    'SELECT hour, version FROM hour_version WHERE hour > ? AND hour <= ?',
    lastHour - trendingHours,
    lastHour,
  )
  const changed = versions.filter(([hour, version]) => known.get(hour)?.version !== version)
  const oneOf = connection.dialect.oneOf(
    'hour',
    changed.map(([hour]) => hour),
  )
  const rows =
    changed.length === 0
      ? []
      : await connection.all<[number, number, number]>(
          `SELECT hour, schema_id, count FROM schema_hour WHERE ${oneOf.sql} ORDER BY hour, schema_id`,
          ...oneOf.parameters,
        )
  const rowsOfHour = Map.groupBy(rows, ([hour]) => hour)
  const hours = new Map<number, HourTerms>()
  for (const [hour, version] of versions) {
    const remembered = known.get(hour)
    const ofHour = rowsOfHour.get(hour) ?? []
    hours.set(
      hour,
      remembered?.version === version
        ? remembered
        : {
            version,
            schemaIds: Float64Array.from(ofHour, ([, schemaId]) => schemaId),
            terms: Float64Array.from(ofHour, ([, , count]) => Math.log1p(count)),
          },
    )
  }
  known.clear()
  for (const [hour, terms] of hours) known.set(hour, terms)
  return hours
}

interface Candidate {
  readonly schema: StoredSchema
  readonly score: number
  readonly position: number
}

/** The registered schemas with the highest scores; ties in the order of the top list. */
async function bestSchemas(
  session: ReadSession,
  scores: Float64Array,
  limit: number,
): Promise<StoredSchema[]> {
  // Schemas that are referred to but not registered drop out only when their rows are read: then more are tried.
  for (let wanted = limit; ; wanted *= 4) {
    const lowest = nthHighest(scores, wanted)
    const schemaIds: number[] = []
    for (let schemaId = 0; schemaId < scores.length; schemaId++) {
      const score = scores[schemaId] ?? 0
      if (score > 0 && score >= lowest) schemaIds.push(schemaId)
    }
    const candidates = await findCandidates(session, schemaIds, scores)
    if (candidates.length < limit && lowest > 0) continue
    return candidates
      .sort(inOrder)
      .slice(0, limit)
      .map(({ schema }) => schema)
  }
}

async function findCandidates(
  { connection }: ReadSession,
  schemaIds: readonly number[],
  scores: Float64Array,
): Promise<Candidate[]> {
  const { dialect } = connection
  const oneOf = dialect.oneOf('s.id', schemaIds)
  const rows = await connection.all<[id: number, position: number, ...SchemaRow]>(
    `SELECT s.id, s.position, ${schemaColumns} FROM schema s WHERE ${oneOf.sql} AND ${dialect.flag('s.registered', true)}`,
    ...oneOf.parameters,
  )
  return rows.map(([id, position, ...row]) => ({
    schema: storedSchemaOfRow(dialect, row),
    score: scores[id] ?? 0,
    position,
  }))
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
