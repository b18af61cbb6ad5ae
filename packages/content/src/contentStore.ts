import { profileTextOf } from '@attestry/core/model/agentRegistration.ts'
import type { ChainId } from '@attestry/core/model/compositeId.ts'
import type { AttestationName, ContentReads } from '@attestry/core/model/contentReads.ts'
import type { ContentState } from '@attestry/core/model/knownContent.ts'
import type {
  BesideDatabase,
  BesideLayout,
  BesideStatements,
  BesideValue,
} from '@attestry/store/beside/besideDatabase.ts'
import type { RowPlace } from '@attestry/core/index/storedRecords.ts'
import { siteOf } from './siteOf.ts'
import { mayTake } from '@attestry/core/shares/fairShares.ts'
import { leafKey, listContentLeaves, pathKey } from './contentLeaves.ts'
import { openContentReads } from './contentReads.ts'

/** The tables of content that was fetched, or is to be fetched, by content id. They survive a new index. */
export const contentLayout: BesideLayout = {
  name: 'content',
  // "Atsc" in ASCII.
  number: 0x41747363,
  steps: [
    ({ prefix, integer, sequence }) => `
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
    // The accounts that name a content, its host, and the account whose share of all bytes it takes.
    ({ prefix, integer }) => `
  ALTER TABLE ${prefix}content ADD COLUMN host text NOT NULL DEFAULT '';
  ALTER TABLE ${prefix}content ADD COLUMN payer text NOT NULL DEFAULT '';
  ALTER TABLE ${prefix}content ADD COLUMN bytes ${integer} NOT NULL DEFAULT 0;
  UPDATE ${prefix}content SET bytes = coalesce(length(json), 0);
  CREATE TABLE ${prefix}owner (
    content_key text NOT NULL,
    owner text NOT NULL,
    PRIMARY KEY (content_key, owner)
  );
  CREATE TABLE ${prefix}payer (name text PRIMARY KEY, bytes ${integer} NOT NULL);
  INSERT INTO ${prefix}payer SELECT '', coalesce(sum(bytes), 0) FROM ${prefix}content;
  DROP INDEX ${prefix}content_by_turn;
  CREATE INDEX content_due ON ${prefix}content (next_at) WHERE next_at IS NOT NULL;
`,
  ],
}

/** Content whose turn it is. */
export interface DueContent {
  readonly key: string
  readonly attempts: number
  /** Milliseconds since the epoch. */
  readonly firstAt: number
  /** The account whose turn it is; empty if that is not known. */
  readonly owner: string
  /** The host of a URL; empty for content of gateways. */
  readonly host: string
}

/** Limits of the content that is taken at a time. */
export interface ContentTurn {
  readonly limit: number
  /** Of one account, and of one host. */
  readonly ofOwnerMax: number
  readonly ofHostMax: number
  /** Accounts and hosts whose turn it is not. */
  readonly fullOwners: readonly string[]
  readonly fullHosts: readonly string[]
}

export interface SettledContent {
  readonly key: string
  readonly state: ContentState
  readonly sentence: string
  /** Compact JSON; null without content. */
  readonly json: string | null
  readonly attempts: number
  /** When it is tried again; null: never. */
  readonly nextAt: number | null
}

/** A text of a payload under a schema, and the key of the content that it names; null: it names none. */
export interface NotedPointer {
  readonly key: string | null
  /** The account that names it. */
  readonly owner: string
  readonly record: AttestationName
  /** The composite id. */
  readonly schemaId: string
  readonly pathText: string
  readonly text: string
}

/** The pointers that a part of a walk names. */
export interface NotedPointers {
  /** By texts of records, whose arrival is streamed. */
  readonly pointers: readonly NotedPointer[]
  /** Keys of content that no record names, but an agent, with the account that set them. */
  readonly keys: readonly { readonly key: string; readonly owner: string }[]
}

/** The kinds of servers that content is fetched from. */
export type ContentSource = 'gateways' | 'hosts'

/** Times are milliseconds since the epoch. Rejects with StoreUnavailableError. */
export interface ContentStore extends ContentReads {
  /** Notes what was named, with how far a chain was walked; known keys stay as they are. */
  note(named: NotedPointers, walk: ContentWalk, nowMs: number): Promise<void>
  findWalk(chainId: ChainId, location: string): Promise<RowPlace | null>
  /**
   * Takes content of gateways, or of the hosts that URLs name: one of each account and host in turn, first attempts first.
   * The caller has until the end of the lease: after a crash it is taken again.
   */
  take(from: ContentSource, turn: ContentTurn, nowMs: number, leaseMs: number): Promise<readonly DueContent[]>
  /**
   * Keeps the content that was fetched.
   * @param totalBytesMax bytes of all content, of which one account gets at most a quarter of what the others leave;
   *   beyond, content is refused.
   */
  settle(settled: readonly SettledContent[], totalBytesMax: number): Promise<void>
  /** If gateways have changed, everything that was missing or mismatched gets its turn again. */
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

  /** Adds bytes to those of an account, and to all. */
  async function charge(statements: BesideStatements, payer: string, bytes: number): Promise<void> {
    for (const name of ['', ...(payer === '' ? [] : [payer])]) {
      await run(
        statements,
        `INSERT INTO ${prefix}payer (name, bytes) VALUES (?, ?) ` +
          'ON CONFLICT (name) DO UPDATE SET bytes = payer.bytes + excluded.bytes RETURNING name',
        name,
        bytes,
      )
    }
  }

  /** Counts content as that of an account which names it and has room left; refuses it where none has. */
  async function pay(
    statements: BesideStatements,
    fetched: SettledContent,
    totalBytesMax: number,
  ): Promise<SettledContent> {
    const { key, json } = fetched
    const [before] = await statements.all<[string, number]>(
      `SELECT payer, bytes FROM ${content} WHERE content_key = ?`,
      key,
    )
    const [payerBefore, bytesBefore] = before ?? ['', 0]
    if (json === null && bytesBefore === 0) return fetched
    if (bytesBefore > 0) await charge(statements, payerBefore, -bytesBefore)
    const bytes = json === null ? 0 : Buffer.byteLength(json)
    const payer = await findPayer()
    if (payer !== null) await charge(statements, payer, bytes)
    await run(
      statements,
      `UPDATE ${content} SET payer = ?, bytes = ? WHERE content_key = ? RETURNING attempts`,
      payer ?? '',
      payer === null ? 0 : bytes,
      key,
    )
    if (payer !== null) return fetched
    const sentence = `The content is not kept: this server keeps ${totalBytesMax} bytes of content, and the share of whoever names it is full.`
    return { ...fetched, state: 'refused', sentence, json: null }

    async function findPayer(): Promise<string | null> {
      const rows = await statements.all<[string, number | null]>(
        `SELECT o.owner, p.bytes FROM ${prefix}owner o LEFT JOIN ${prefix}payer p ON p.name = o.owner ` +
          `WHERE o.content_key = ? ORDER BY p.bytes LIMIT ${payersMax}`,
        key,
      )
      const [sum] = await statements.all<[number]>(`SELECT bytes FROM ${prefix}payer WHERE name = ''`)
      const all = sum?.[0] ?? 0
      // Nothing is kept for somebody else here.
      const mayPay = (name: string, own: number) =>
        mayTake(totalBytesMax, { name, hasKey: true }, bytes, { own, all })
      const found = rows.find(([name, own]) => mayPay(name, own ?? 0))
      return found?.[0] ?? (rows.length === 0 && all + bytes <= totalBytesMax ? '' : null)
    }
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
        const pending = (key: string) => [key, 'pending', '', 0, nowMs, nowMs, hostOf(key)]
        const contents = new Map<string, readonly BesideValue[]>(keys.map(({ key }) => [key, pending(key)]))
        const owners = new Map<string, readonly BesideValue[]>(
          [...keys, ...pointers].flatMap(({ key, owner }) =>
            key === null ? [] : [[`${key} ${owner}`, [key, owner]]],
          ),
        )
        const texts = new Map<string, readonly BesideValue[]>()
        const records = new Map<string, readonly BesideValue[]>()
        for (const { key, record, schemaId, pathText, text } of pointers) {
          const id = [record.chainId, record.protocol, record.localId]
          // The content of a record is the first that it names.
          if (!records.has(id.join())) records.set(id.join(), [...id, key ?? namesNothing])
          if (key === null) contents.set(namesNothing, [namesNothing, 'refused', '', 0, null, nowMs, ''])
          else contents.set(key, pending(key))
          if (pathText.length > pathLengthMax || text.length > pointerLengthMax || text.includes('\0'))
            continue
          const row = [key ?? namesNothing, schemaId, pathText, text]
          texts.set(row.join('\n'), row)
        }
        const columns = ['content_key', 'state', 'sentence', 'attempts', 'next_at', 'first_at', 'host']
        await insert(statements, 'content', columns, [...contents.values()])
        await insert(statements, 'owner', ['content_key', 'owner'], [...owners.values()])
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

    take: (from, { limit, ofOwnerMax, ofHostMax, fullOwners, fullHosts }, nowMs, leaseMs) =>
      database.transact(async (statements) => {
        const none = (column: string, values: readonly string[]) =>
          values.length === 0 ? '' : ` AND ${column} NOT IN (${values.map(() => '?').join(', ')})`
        const order = 'ORDER BY c.attempts, c.next_at'
        const rows = await statements.all<[string, number, number, string, string]>(
          'SELECT content_key, attempts, first_at, owner, host FROM (' +
            "SELECT c.content_key, c.attempts, c.first_at, c.next_at, c.host, coalesce(o.owner, '') AS owner, " +
            `row_number() OVER (PARTITION BY coalesce(o.owner, '') ${order}) AS owner_turn, ` +
            `row_number() OVER (PARTITION BY c.host ${order}) AS host_turn ` +
            `FROM ${content} c LEFT JOIN ${prefix}owner o ON o.content_key = c.content_key ` +
            'WHERE c.next_at IS NOT NULL AND c.next_at <= ? ' +
            `AND substr(c.content_key, 1, 6) ${from === 'hosts' ? '=' : '<>'} 'https:'` +
            `${none("coalesce(o.owner, '')", fullOwners)}${none('c.host', fullHosts)}` +
            ") t WHERE owner_turn <= ? AND (host = '' OR host_turn <= ?) " +
            "ORDER BY CASE WHEN host <> '' AND host_turn > owner_turn THEN host_turn ELSE owner_turn END, " +
            'attempts, next_at LIMIT ?',
          nowMs,
          ...fullOwners,
          ...fullHosts,
          ofOwnerMax,
          ofHostMax,
          limit,
        )
        // Several accounts may name one content: it is the turn of the first of them.
        const due = new Map<string, DueContent>()
        for (const [key, attempts, firstAt, owner, host] of rows) {
          if (!due.has(key)) due.set(key, { key, attempts, firstAt, owner, host })
        }
        if (due.size > 0) {
          await run(
            statements,
            `UPDATE ${content} SET next_at = ? WHERE content_key IN (${[...due].map(() => '?').join(', ')}) RETURNING attempts`,
            nowMs + leaseMs,
            ...due.keys(),
          )
        }
        return [...due.values()]
      }),

    settle: (fetched, totalBytesMax) =>
      database.transact(async (statements) => {
        const keys = fetched.map(({ key }) => key)
        const settled: SettledContent[] = []
        for (const each of fetched) settled.push(await pay(statements, each, totalBytesMax))
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
        // Unverified content may come again as other bytes.
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

/** Accounts that name one content and are looked at for room. */
const payersMax = 16

/** The site of a URL; empty for the key of content of gateways. */
function hostOf(key: string): string {
  const url = key.startsWith('https:') ? URL.parse(key) : null
  return url === null ? '' : siteOf(url)
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
