import type { ChainId } from '../model/compositeId.ts'
import type { ContentState, KnownContent } from '../model/knownContent.ts'
import type { BesideDatabase, BesideLayout, BesideStatements } from '../store/beside/besideDatabase.ts'
import type { RowPlace } from '../store/storedRecords.ts'

/** What was fetched, or is to be fetched, by content id. It survives an index that is made anew. */
export const contentLayout: BesideLayout = {
  name: 'content',
  version: 1,
  // "Atsc" in ASCII.
  number: 0x41747363,
  tables: ({ prefix, integer }) => `
  CREATE TABLE ${prefix}content (
    content_key text PRIMARY KEY,
    state text NOT NULL,
    sentence text NOT NULL,
    json text,
    attempts ${integer} NOT NULL,
    next_at ${integer},
    first_at ${integer} NOT NULL
  );
  CREATE INDEX content_by_turn ON ${prefix}content (attempts, next_at) WHERE next_at IS NOT NULL;
  CREATE TABLE ${prefix}walk (
    chain_id ${integer} NOT NULL,
    location text NOT NULL,
    attest_timestamp ${integer} NOT NULL,
    position_text text NOT NULL,
    PRIMARY KEY (chain_id, location)
  );
  CREATE TABLE ${prefix}setting (name text PRIMARY KEY, value text NOT NULL);
`,
}

/** Content whose turn it is. */
export interface DueContent {
  readonly key: string
  readonly attempts: number
  /** Milliseconds since the epoch. */
  readonly firstAt: number
}

export interface SettledContent {
  readonly key: string
  readonly state: ContentState
  readonly sentence: string
  /** Compact JSON; null where there is none. */
  readonly json: string | null
  readonly attempts: number
  /** When it is tried again; null: never. */
  readonly nextAt: number | null
}

/** Times are milliseconds since the epoch. Rejects with StoreUnavailableError. */
export interface ContentStore {
  /** Keys that records name, with how far a chain was walked; known keys stay as they are. */
  note(keys: readonly string[], walk: ContentWalk, nowMs: number): Promise<void>
  findWalk(chainId: ChainId, location: string): Promise<RowPlace | null>
  /**
   * Takes content whose turn it is, first attempts first. Whoever takes it has until the end of the lease: after a crash
   * it is taken again.
   */
  take(limit: number, nowMs: number, leaseMs: number): Promise<readonly DueContent[]>
  settle(settled: readonly SettledContent[]): Promise<void>
  /** Where gateways have changed, everything that was missing or mismatched gets its turn again. */
  noteGateways(gateways: string, nowMs: number): Promise<void>
  find(keys: readonly string[]): Promise<ReadonlyMap<string, KnownContent>>
  close(): Promise<void>
}

export interface ContentWalk {
  readonly chainId: ChainId
  readonly location: string
  readonly place: RowPlace
}

export function openContentStore(database: BesideDatabase): ContentStore {
  const { prefix } = database
  const content = `${prefix}content`
  const run = async (
    statements: BesideStatements,
    sql: string,
    ...parameters: readonly (string | number | null)[]
  ) => void (await statements.all(sql, ...parameters))
  return {
    note: (keys, { chainId, location, place }, nowMs) =>
      database.transact(async (statements) => {
        for (const key of new Set(keys)) {
          await run(
            statements,
            `INSERT INTO ${content} (content_key, state, sentence, attempts, next_at, first_at) ` +
              `VALUES (?, 'pending', '', 0, ?, ?) ON CONFLICT (content_key) DO NOTHING RETURNING attempts`,
            key,
            nowMs,
            nowMs,
          )
        }
        await run(
          statements,
          `INSERT INTO ${prefix}walk (chain_id, location, attest_timestamp, position_text) VALUES (?, ?, ?, ?) ` +
            'ON CONFLICT (chain_id, location) DO UPDATE SET attest_timestamp = excluded.attest_timestamp, ' +
            'position_text = excluded.position_text RETURNING chain_id',
          chainId,
          location,
          place.timestamp,
          String(place.position),
        )
      }),

    findWalk: async (chainId, location) => {
      const [row] = await database.all<[number, string]>(
        `SELECT attest_timestamp, position_text FROM ${prefix}walk WHERE chain_id = ? AND location = ?`,
        chainId,
        location,
      )
      return row === undefined ? null : { chainId, timestamp: row[0], position: Number(row[1]) }
    },

    take: (limit, nowMs, leaseMs) =>
      database.transact(async (statements) => {
        const rows = await statements.all<[string, number, number]>(
          `SELECT content_key, attempts, first_at FROM ${content} WHERE next_at IS NOT NULL AND next_at <= ? ` +
            'ORDER BY attempts, next_at LIMIT ?',
          nowMs,
          limit,
        )
        for (const [key] of rows) {
          const sql = `UPDATE ${content} SET next_at = ? WHERE content_key = ? RETURNING attempts`
          await run(statements, sql, nowMs + leaseMs, key)
        }
        return rows.map(([key, attempts, firstAt]) => ({ key, attempts, firstAt }))
      }),

    settle: (settled) =>
      database.transact(async (statements) => {
        for (const { key, state, sentence, json, attempts, nextAt } of settled) {
          await run(
            statements,
            `UPDATE ${content} SET state = ?, sentence = ?, json = ?, attempts = ?, next_at = ? ` +
              'WHERE content_key = ? RETURNING attempts',
            state,
            sentence,
            json,
            attempts,
            nextAt,
            key,
          )
        }
      }),

    noteGateways: (gateways, nowMs) =>
      database.transact(async (statements) => {
        const [known] = await statements.all<[string]>(
          `SELECT value FROM ${prefix}setting WHERE name = 'gateways'`,
        )
        if (known?.[0] === gateways) return
        await run(
          statements,
          `UPDATE ${content} SET next_at = ?, attempts = 0, first_at = ? ` +
            `WHERE state IN ('pending', 'missing', 'mismatch') RETURNING attempts`,
          nowMs,
          nowMs,
        )
        await run(
          statements,
          `INSERT INTO ${prefix}setting (name, value) VALUES ('gateways', ?) ` +
            'ON CONFLICT (name) DO UPDATE SET value = excluded.value RETURNING name',
          gateways,
        )
      }),

    find: async (keys) => {
      if (keys.length === 0) return new Map()
      const rows = await database.all<[string, ContentState, string, string | null]>(
        `SELECT content_key, state, sentence, json FROM ${content} WHERE content_key IN (${keys.map(() => '?').join(', ')})`,
        ...keys,
      )
      return new Map(rows.map(([key, state, sentence, json]) => [key, { state, sentence, json }]))
    },

    close: () => database.close(),
  }
}
