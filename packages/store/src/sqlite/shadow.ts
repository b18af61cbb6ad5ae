import { pathToFileURL } from 'node:url'
import { formatCompositeId, type LocalId } from '@attestry/core/model/compositeId.ts'
import { rowDifference } from '../auditing/differences.ts'
import type { Difference } from '@attestry/core/index/indexAudit.ts'
import { stepsFrom } from '../layout/layoutSteps.ts'
import type { Reads } from '../port/reads.ts'
import type { ShadowSession } from '../port/shadow.ts'
import { openConnection, type Connection } from './connection.ts'
import { indexesOfBuild } from '../layout/deferredIndexes.ts'
import { dropDeferred } from './dropDeferred.ts'
import { projectedTables, projectionStatements } from '../layout/projectionStatements.ts'
import type { Projection } from '../port/projection.ts'
import { sqliteLayout, sqliteWords } from './migrations.ts'
import { storedTables } from './storedTables.ts'
import { createSqliteTables, indexedText } from './tables.ts'
import { textIndexOf } from './textMatch.ts'

/** Memory for pages of the shadow and of the database, in MiB each. */
const cacheMib = { reading: 64, writing: 256 } as const

/**
 * Opens a connection whose main database is a temporary one, to be filled by the shadow. It is a file without a name in
 * the folder that the environment variable `SQLITE_TMPDIR` or `TMPDIR` names; SQLite deletes it when the connection
 * ends. The database at `path` is attached as `stored`. SQLite looks names up in the main database first.
 */
export function openShadowConnection(path: string, mode: 'reading' | 'writing'): Connection {
  const url = `${pathToFileURL(path).href}?mode=${mode === 'reading' ? 'ro' : 'rw'}`
  return openConnection('', { readOnly: false, cacheMib: cacheMib[mode], mapMib: 0 }, (connection) =>
    connection.exec(
      `ATTACH DATABASE '${url.replaceAll("'", "''")}' AS stored; PRAGMA temp_store = FILE; ` +
        `PRAGMA stored.cache_size = -${cacheMib[mode] * 1024}; PRAGMA stored.synchronous = FULL`,
    ),
  )
}

/** Makes the shadow's tables in the running transaction of a connection of `openShadowConnection`. */
export function createShadowSession(
  connection: Connection,
  source: Reads,
  projections: readonly Projection[] = [],
): ShadowSession {
  for (const step of stepsFrom(sqliteLayout, 0)) connection.exec(step)
  connection.exec(projectionStatements(projections, sqliteWords))
  const deferred = dropDeferred(connection)
  const indexes = projections.flatMap(({ searched }) =>
    searched === undefined ? [] : textIndexOf(searched.table),
  )
  return {
    tables: createSqliteTables(connection),
    source,
    stored: 'stored',
    shadow: 'main',
    layout: { ...storedTables, ...projectedTables(projections) },
    prepareBuild: () => {
      const made: readonly string[] = indexesOfBuild
      for (const [name, sql] of deferred) if (made.includes(name)) connection.exec(sql)
      return Promise.resolve()
    },
    compareBesides: async function* () {
      yield* findTextDifferences(connection)
      for (const index of indexes) yield* findIndexDifferences(connection, index)
    },
    rebuildBesides: async () => {
      rebuildTexts(connection)
      for (const index of indexes)
        connection.exec(`INSERT INTO stored.${index} (${index}) VALUES ('rebuild')`)
    },
  }
}

/**
 * Finds schemas whose entries in the full-text index differ from those in the shadow's. The index keeps no text, so that
 * the entries of a schema are summed up: a checksum of each trigram with its place.
 */
function* findTextDifferences(connection: Connection): Generator<Difference> {
  const held = sumTexts(connection, 'stored', 'schema_text')
  const made = sumTexts(connection, 'main', 'schema_text')
  const rows = connection
    .statement<[number, number, string]>(
      'SELECT id, chain_id, local_id FROM main.schema WHERE registered = 1',
    )
    .iterate()
  for (const [id, chainId, localId] of rows) {
    const stored = held.get(String(id)) ?? 0
    held.delete(String(id))
    if (stored === (made.get(String(id)) ?? 0)) continue
    const subject = formatCompositeId({ chainId, localId: `0x${localId}` as LocalId })
    const values = {
      stored: stored === 0 ? null : 'other text',
      expected: 'the text of name and description',
    }
    yield rowDifference('derived', subject, values, 'rebuild', 'schema_text')
  }
  for (const id of held.keys()) {
    yield rowDifference('orphan', `schema_text (${id})`, { stored: 'a row', expected: null }, 'rebuild')
  }
}

/** Finds texts of projections whose entries in their full-text index differ from those in the shadow's. */
function* findIndexDifferences(connection: Connection, index: string): Generator<Difference> {
  const held = sumTexts(connection, 'stored', index)
  const made = sumTexts(connection, 'main', index)
  for (const id of new Set([...held.keys(), ...made.keys()])) {
    if (held.get(id) === made.get(id)) continue
    const shownOf = (sums: ReadonlyMap<string, number>) => (sums.has(id) ? 'the entries of a text' : null)
    const values = { stored: shownOf(held), expected: shownOf(made) }
    yield rowDifference('derived', `${index} (${id})`, values, 'rebuild', index)
  }
}

/** Sums up the entries of a full-text index, by the row id of the text, in digits. */
function sumTexts(connection: Connection, database: 'stored' | 'main', index: string): Map<string, number> {
  connection.exec(`CREATE VIRTUAL TABLE temp.terms USING fts5vocab(${database}, ${index}, 'instance')`)
  try {
    const sums = new Map<string, number>()
    const rows = connection
      .statement<[string, string, string, number]>(
        'SELECT term, CAST(doc AS text), col, offset FROM temp.terms',
      )
      .iterate()
    for (const [term, id, column, offset] of rows) {
      sums.set(id, (sums.get(id) ?? 0) + sumTerm(column, offset, term))
    }
    return sums
  } finally {
    connection.exec('DROP TABLE temp.terms')
  }
}

/** A number below 2^32 for a trigram at its place (FNV-1a): sums of them are exact, and do not depend on the order. */
function sumTerm(column: string, offset: number, term: string): number {
  let hash = 0x811c9dc5 ^ column.length
  const mix = (value: number) => {
    hash = Math.imul(hash ^ value, 0x01000193)
  }
  mix(offset)
  for (let i = 0; i < term.length; i++) mix(term.charCodeAt(i))
  return (hash >>> 0) + 1
}

/** Makes the full-text index anew from the folded texts of the stored rows. */
function rebuildTexts(connection: Connection): void {
  connection.exec("INSERT INTO stored.schema_text (schema_text) VALUES ('delete-all')")
  const insert = connection.statement(
    'INSERT INTO stored.schema_text (rowid, name, description) VALUES (?, ?, ?)',
  )
  const rows = connection
    .statement<[number, string, string]>(
      'SELECT id, name_folded, description_folded FROM stored.schema WHERE registered = 1',
    )
    .iterate()
  for (const [id, name, description] of rows) insert.run(id, indexedText(name), indexedText(description))
}
