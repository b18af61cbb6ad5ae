import type { IndexReader } from '@attestry/core/index/indexReader.ts'
import type { StoredSchema } from '@attestry/core/index/storedRecords.ts'
import { nthHighest, sumScores, trendingHours, type HourTerms } from '../layout/trendingScores.ts'
import type { Reads } from '../port/reads.ts'
import { findOnce, type ReadSession } from './session.ts'
import { schemaColumns, storedSchemaOfRow, type SchemaRow } from './storedSchema.ts'

/**
 * Lists schemas by Σ ln(1 + attestations in an hour) · 2^(−age / 24) over the last 168 clock hours before the newest
 * attestation. Sums run from the newest hour to the oldest, so that one index always gives one order.
 */
export function listTrendingSchemas(session: ReadSession, limit: number): Promise<readonly StoredSchema[]> {
  return findOnce(session.memo.trending, limit, () => findTrending(session, limit))
}

/**
 * The list of a reader whose reads share a thread: hours that have changed are read in parts first. `turn` resolves in
 * a turn of the event loop of its own; null if one read keeps no other waiting.
 */
export function createTrending(
  read: <Result>(work: (session: ReadSession) => Promise<Result>) => Promise<Result>,
  turn: (() => Promise<void>) | null,
): Pick<IndexReader, 'listTrendingSchemas'> {
  let parts: Promise<void> | null = null

  /** A part for each hour is enough, unless commits go on meanwhile. */
  async function readParts(nextTurn: () => Promise<void>): Promise<void> {
    for (let part = 0; part < trendingHours; part++) {
      if (!(await read((session) => readChangedHours(session)))) return
      await nextTurn()
    }
  }

  return {
    listTrendingSchemas: async (limit) => {
      if (turn !== null) {
        // Concurrent callers share the parts.
        parts ??= readParts(turn).finally(() => {
          parts = null
        })
        await parts
      }
      return await read((session) => listTrendingSchemas(session, limit))
    },
  }
}

/** How long a part of the changed hours is read, in milliseconds. */
const partMsDefault = 4

/**
 * Reads some of the hours that have changed into the session's memory. Every commit of a backfill changes a dozen, and
 * reading all of them at once would keep other reads of the thread waiting. Resolves to whether there are more. Each
 * hour is remembered with its version: an hour that is committed between two parts is read again.
 */
export async function readChangedHours(session: ReadSession, partMs = partMsDefault): Promise<boolean> {
  if (session.memo.trending.size > 0) return false
  const startMs = performance.now()
  const lastHour = await findLastHour(session)
  if (lastHour === null) return false
  const changed = changedHours(session, await hourVersions(session, lastHour))
  for (const [index, each] of changed.entries()) {
    for (const [hour, terms] of await readTerms(session.connection, [each])) session.hours.set(hour, terms)
    const isLast = index === changed.length - 1
    if (!isLast && performance.now() - startMs > partMs) return true
  }
  return false
}

async function findTrending(session: ReadSession, limit: number): Promise<StoredSchema[]> {
  const lastHour = await findLastHour(session)
  if (lastHour === null) return []
  const hours = await readHours(session, lastHour)
  return await bestSchemas(session, sumScores(hours, lastHour), limit)
}

/** The clock hour of the newest attestation. */
async function findLastHour({ connection }: ReadSession): Promise<number | null> {
  const row = await connection.get<[number | null]>('SELECT max(attest_timestamp) FROM attestation')
  const newest = row?.[0] ?? null
  return newest === null ? null : Math.floor(newest / 3600)
}

/** A clock hour, and the version of the index that last changed it. */
type HourVersion = [hour: number, version: number]

/** The hours that count and have attestations. */
function hourVersions({ connection }: ReadSession, lastHour: number): Promise<HourVersion[]> {
  return connection.all<HourVersion>(
    'SELECT hour, version FROM hour_version WHERE hour > ? AND hour <= ?',
    lastHour - trendingHours,
    lastHour,
  )
}

function changedHours({ hours }: ReadSession, versions: readonly HourVersion[]): HourVersion[] {
  return versions.filter(([hour, version]) => hours.get(hour)?.version !== version)
}

/**
 * The hours that count, as the snapshot has them. Hours that have not changed are remembered, the others are read. The
 * memory is copied before anything is read: a read of another snapshot may change it meanwhile.
 */
async function readHours(session: ReadSession, lastHour: number): Promise<ReadonlyMap<number, HourTerms>> {
  const { connection, hours: remembered } = session
  const versions = await hourVersions(session, lastHour)
  const changed = changedHours(session, versions)
  const hours = new Map<number, HourTerms>()
  for (const [hour] of versions) {
    const terms = remembered.get(hour)
    if (terms !== undefined) hours.set(hour, terms)
  }
  for (const [hour, terms] of await readTerms(connection, changed)) hours.set(hour, terms)
  remembered.clear()
  for (const [hour, terms] of hours) remembered.set(hour, terms)
  return hours
}

/** Reads the addends of each hour's attestations to the scores of their schemas. */
async function readTerms(
  connection: Reads,
  changed: readonly HourVersion[],
): Promise<Map<number, HourTerms>> {
  const oneOf = connection.dialect.oneOf(
    'hour',
    changed.map(([hour]) => hour),
  )
  const rows =
    changed.length === 0
      ? []
      : await connection.all<[number, number, number]>(
          `SELECT hour, schema_id, count FROM schema_hour WHERE ${oneOf.sql} ORDER BY hour`,
          ...oneOf.parameters,
        )
  const rowsOfHour = Map.groupBy(rows, ([hour]) => hour)
  return new Map(
    changed.map(([hour, version]) => {
      const ofHour = rowsOfHour.get(hour) ?? []
      const schemaIds = Float64Array.from(ofHour, ([, schemaId]) => schemaId)
      const terms = Float64Array.from(ofHour, ([, , count]) => Math.log1p(count))
      return [hour, { version, schemaIds, terms }]
    }),
  )
}

interface Candidate {
  readonly schema: StoredSchema
  readonly score: number
  readonly position: number
}

/** The registered schemas with the highest scores; ties in the order of the top list. */
async function bestSchemas(
  session: ReadSession,
  scores: ReadonlyMap<number, number>,
  limit: number,
): Promise<StoredSchema[]> {
  // Schemas that are referred to but not registered drop out only when their rows are read: then more are tried.
  for (let wanted = limit; ; wanted *= 4) {
    const lowest = nthHighest(scores.values(), wanted)
    const schemaIds = [...scores].flatMap(([id, score]) => (score >= lowest ? [id] : []))
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
  scores: ReadonlyMap<number, number>,
): Promise<Candidate[]> {
  const { dialect } = connection
  const oneOf = dialect.oneOf('s.id', schemaIds)
  const rows = await connection.all<[id: number, position: number, ...SchemaRow]>(
    `SELECT s.id, s.position, ${schemaColumns} FROM schema s WHERE ${oneOf.sql} AND ${dialect.flag('s.registered', true)}`,
    ...oneOf.parameters,
  )
  return rows.map(([id, position, ...row]) => ({
    schema: storedSchemaOfRow(dialect, row),
    score: scores.get(id) ?? 0,
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
