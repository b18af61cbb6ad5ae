import { profileTextOf } from '../model/agentRegistration.ts'
import type { ChainId } from '../model/compositeId.ts'
import type { AttestationName, ContentReads } from '../model/contentReads.ts'
import type { ContentState } from '../model/knownContent.ts'
import type {
  BesideDatabase,
  BesideLayout,
  BesideStatements,
  BesideValue,
} from '../store/beside/besideDatabase.ts'
import type { RowPlace } from '../store/storedRecords.ts'
import { leafKey, listContentLeaves, pathKey } from './contentLeaves.ts'
import { openContentReads } from './contentReads.ts'

/** What was fetched, or is to be fetched, by content id. It survives an index that is made anew. */
export const contentLayout: BesideLayout = {
  name: 'content',
  version: 1,
  // "Atsc" in ASCII.
  number: 0x41747363,
  tables: ({ prefix, integer, sequence }) => `
  CREATE TABLE ${prefix}content (
    content_key text PRIMARY KEY,
    state text NOT NULL,
    sentence text NOT NULL,
    json text,
    profile text,
    attempts ${integer} NOT NULL,
    next_at ${integer},
    first_at ${integer} NOT NULL
  );
  CREATE INDEX content_by_turn ON ${prefix}content (attempts, next_at) WHERE next_at IS NOT NULL;
  CREATE TABLE ${prefix}pointer (
    content_key text NOT NULL,
    schema_id text NOT NULL,
    path_text text NOT NULL,
    pointer_text text NOT NULL,
    PRIMARY KEY (content_key, schema_id, path_text, pointer_text)
  );
  CREATE TABLE ${prefix}record (
    number ${sequence},
    chain_id ${integer} NOT NULL,
    protocol text NOT NULL,
    local_id text NOT NULL,
    content_key text NOT NULL,
    arrival ${integer},
    UNIQUE (chain_id, protocol, local_id)
  );
  CREATE INDEX record_by_content ON ${prefix}record (content_key);
  CREATE INDEX record_by_arrival ON ${prefix}record (arrival, number) WHERE arrival IS NOT NULL;
  CREATE INDEX pointer_by_schema ON ${prefix}pointer (schema_id);
  CREATE INDEX content_by_state ON ${prefix}content (state);
  CREATE TABLE ${prefix}leaf (
    content_key text NOT NULL,
    number ${integer} NOT NULL,
    path_key text NOT NULL,
    value_key text NOT NULL,
    type text NOT NULL,
    value text NOT NULL,
    PRIMARY KEY (content_key, number)
  );
  CREATE INDEX leaf_by_value ON ${prefix}leaf (path_key, value_key);
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

/** A text of a payload under a schema, and the key of the content that it names; null: it names none. */
export interface NotedPointer {
  readonly key: string | null
  readonly record: AttestationName
  /** The composite id. */
  readonly schemaId: string
  readonly pathText: string
  readonly text: string
}

/** What a part of a walk names. */
export interface NotedPointers {
  /** By texts of records, which are told of when the content arrives. */
  readonly pointers: readonly NotedPointer[]
  /** Keys of content that no record names, but an agent. */
  readonly keys: readonly string[]
}

/** Where content is fetched from. */
export type ContentSource = 'gateways' | 'hosts'

/** Times are milliseconds since the epoch. Rejects with StoreUnavailableError. */
export interface ContentStore extends ContentReads {
  /** Notes what was named, with how far a chain was walked; known keys stay as they are. */
  note(named: NotedPointers, walk: ContentWalk, nowMs: number): Promise<void>
  findWalk(chainId: ChainId, location: string): Promise<RowPlace | null>
  /**
   * Takes content of gateways, or of the hosts that URLs name, whose turn it is, first attempts first. Whoever takes it has until the end of the lease: after a crash
   * it is taken again.
   */
  take(from: ContentSource, limit: number, nowMs: number, leaseMs: number): Promise<readonly DueContent[]>
  settle(settled: readonly SettledContent[]): Promise<void>
  /** Where gateways have changed, everything that was missing or mismatched gets its turn again. */
  noteGateways(gateways: string, nowMs: number): Promise<void>
  close(): Promise<void>
}

export interface ContentWalk {
  readonly chainId: ChainId
  readonly location: string
  readonly place: RowPlace
}

/** The key of what names no content. */
const namesNothing = 'none'

/** Characters of a path, and of a pointer: longer ones are fetched and shown, but no index of PostgreSQL takes them. */
const pathLengthMax = 200
const pointerLengthMax = 300

export function openContentStore(database: BesideDatabase): ContentStore {
  const { prefix } = database
  const content = `${prefix}content`
  const run = async (statements: BesideStatements, sql: string, ...parameters: readonly BesideValue[]) =>
    void (await statements.all(sql, ...parameters))

  /** Inserts rows, and leaves those that are there. */
  async function insert(
    statements: BesideStatements,
    table: string,
    columns: readonly string[],
    rows: readonly (readonly BesideValue[])[],
    onConflict = 'DO NOTHING',
  ): Promise<void> {
    const row = `(${columns.map(() => '?').join(', ')})`
    for (let at = 0; at < rows.length; at += insertedAtOnce) {
      const part = rows.slice(at, at + insertedAtOnce)
      await run(
        statements,
        `INSERT INTO ${prefix}${table} (${columns.join(', ')}) VALUES ${part.map(() => row).join(', ')} ` +
          `ON CONFLICT ${onConflict} RETURNING content_key`,
        ...part.flat(),
      )
    }
  }

  /** Gives records of known content the next place among arrivals; with `isNew`, those that have none. */
  async function tellArrivals(
    statements: BesideStatements,
    keys: readonly string[],
    isNew: boolean,
  ): Promise<void> {
    const [last] = await statements.all<[string]>(`SELECT value FROM ${prefix}setting WHERE name = 'arrival'`)
    const next = Number(last?.[0] ?? 0) + 1
    let told = 0
    for (let at = 0; at < keys.length; at += insertedAtOnce) {
      const part = keys.slice(at, at + insertedAtOnce)
      const rows = await statements.all(
        `UPDATE ${prefix}record SET arrival = ? WHERE content_key IN (SELECT content_key FROM ${content} ` +
          `WHERE state NOT IN ('pending', 'missing') AND content_key IN (${part.map(() => '?').join(', ')}))` +
          `${isNew ? ' AND arrival IS NULL' : ''} RETURNING number`,
        next,
        ...part,
      )
      told += rows.length
    }
    if (told > 0) await set(statements, 'arrival', String(next))
  }

  async function set(statements: BesideStatements, name: string, value: string): Promise<void> {
    await run(
      statements,
      `INSERT INTO ${prefix}setting (name, value) VALUES (?, ?) ` +
        'ON CONFLICT (name) DO UPDATE SET value = excluded.value RETURNING name',
      name,
      value,
    )
  }

  return {
    ...openContentReads(database),

    note: ({ pointers, keys }, { chainId, location, place }, nowMs) =>
      database.transact(async (statements) => {
        const pending = (key: string) => [key, 'pending', '', 0, nowMs, nowMs]
        const contents = new Map<string, readonly BesideValue[]>(keys.map((key) => [key, pending(key)]))
        const texts = new Map<string, readonly BesideValue[]>()
        const records = new Map<string, readonly BesideValue[]>()
        for (const { key, record, schemaId, pathText, text } of pointers) {
          const id = [record.chainId, record.protocol, record.localId]
          // The content of a record is the first that it names.
          if (!records.has(id.join())) records.set(id.join(), [...id, key ?? namesNothing])
          if (key === null) contents.set(namesNothing, [namesNothing, 'refused', '', 0, null, nowMs])
          else contents.set(key, pending(key))
          if (pathText.length > pathLengthMax || text.length > pointerLengthMax || text.includes('\0'))
            continue
          const row = [key ?? namesNothing, schemaId, pathText, text]
          texts.set(row.join('\n'), row)
        }
        const columns = ['content_key', 'state', 'sentence', 'attempts', 'next_at', 'first_at']
        await insert(statements, 'content', columns, [...contents.values()])
        await insert(statements, 'pointer', pointerColumns, [...texts.values()])
        await insert(statements, 'record', recordColumns, [...records.values()], onRecord)
        await tellArrivals(statements, [...contents.keys()], true)
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

    take: (from, limit, nowMs, leaseMs) =>
      database.transact(async (statements) => {
        const rows = await statements.all<[string, number, number]>(
          `SELECT content_key, attempts, first_at FROM ${content} WHERE next_at IS NOT NULL AND next_at <= ? ` +
            `AND substr(content_key, 1, 6) ${from === 'hosts' ? '=' : '<>'} 'https:' ` +
            'ORDER BY attempts, next_at LIMIT ?',
          nowMs,
          limit,
        )
        if (rows.length > 0) {
          await run(
            statements,
            `UPDATE ${content} SET next_at = ? WHERE content_key IN (${rows.map(() => '?').join(', ')}) RETURNING attempts`,
            nowMs + leaseMs,
            ...rows.map(([key]) => key),
          )
        }
        return rows.map(([key, attempts, firstAt]) => ({ key, attempts, firstAt }))
      }),

    settle: (settled) =>
      database.transact(async (statements) => {
        const keys = settled.map(({ key }) => key)
        const states = new Map<string, string>()
        for (let at = 0; at < keys.length; at += insertedAtOnce) {
          const part = keys.slice(at, at + insertedAtOnce)
          const rows = await statements.all<[string, string]>(
            `SELECT content_key, state FROM ${content} WHERE content_key IN (${part.map(() => '?').join(', ')})`,
            ...part,
          )
          for (const [key, state] of rows) states.set(key, state)
        }
        for (const { key, state, sentence, json, attempts, nextAt } of settled) {
          await run(
            statements,
            `UPDATE ${content} SET state = ?, sentence = ?, json = ?, profile = ?, attempts = ?, next_at = ? ` +
              'WHERE content_key = ? RETURNING attempts',
            state,
            sentence,
            json,
            json && profileTextOf(json),
            attempts,
            nextAt,
            key,
          )
        }
        // What came unverified may come again as other bytes.
        for (const key of keys.filter((each) => states.get(each) === 'unverified')) {
          await run(statements, `DELETE FROM ${prefix}leaf WHERE content_key = ? RETURNING number`, key)
        }
        const leaves = settled.flatMap(({ key, json }) =>
          (json === null ? [] : listContentLeaves(json)).map(({ path, type, value }, number) => {
            return [key, number, pathKey(path), leafKey(value), type, value]
          }),
        )
        await insert(statements, 'leaf', leafColumns, leaves)
        const changed = settled.filter(({ key, state }) => states.get(key) !== state).map(({ key }) => key)
        await tellArrivals(statements, changed, false)
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
        await set(statements, 'gateways', gateways)
      }),

    close: () => database.close(),
  }
}

/** Rows of one statement: PostgreSQL takes 65,535 parameters. */
const insertedAtOnce = 256

const recordColumns = ['chain_id', 'protocol', 'local_id', 'content_key']
/** A reorganisation may leave the id of a record to another one. */
const onRecord =
  '(chain_id, protocol, local_id) DO UPDATE SET content_key = excluded.content_key, arrival = NULL ' +
  'WHERE record.content_key <> excluded.content_key'
const pointerColumns = ['content_key', 'schema_id', 'path_text', 'pointer_text']
const leafColumns = ['content_key', 'number', 'path_key', 'value_key', 'type', 'value']
