import { deepEqual, equal, ok } from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { openDatabase } from '@attestry/host/openDatabase.ts'
import { runLake } from '@attestry/archive/commands/lake/runLake.ts'
import { runParquetExport } from '@attestry/archive/commands/parquet/runParquetExport.ts'

/** The part of `icebird` that is used: a reader of Iceberg in JavaScript. */
interface Icebird {
  icebergMetadata(options: { readonly tableUrl: string }): Promise<object>
  icebergManifests(metadata: object): Promise<readonly { readonly entries: readonly ManifestEntry[] }[]>
  icebergRead(options: { readonly tableUrl: string }): Promise<readonly Record<string, unknown>[]>
}

interface ManifestEntry {
  readonly data_file: { readonly file_path: string }
}

export type Query = (sql: string) => Promise<readonly Record<string, unknown>[]>

/**
 * Writes a lake of an index, and compares its tables with the export of the index: icebird finds their data files and
 * reads their rows, DuckDB reads the files that icebird found.
 */
export async function compareLake(
  query: Query,
  folder: string,
  path: string,
  schema: string,
): Promise<string> {
  const database = { kind: 'sqlite', path } as const
  const reader = (await openDatabase(database)).openReader()
  const chains = (await reader.listChains()).map(({ status: { chainId, name } }) => ({
    chainId,
    name,
    finality: 0,
  }))
  await reader.close()
  const lake = join(folder, 'lake')
  const lines: string[] = []
  await runLake(
    { database, chains },
    { to: lake, schema: [schema], once: true },
    {
      environment: {},
      program: 'test',
      printLine: (line) => lines.push(line),
      signal: new AbortController().signal,
    },
  )
  // An export has times of no time zone.
  await query("set TimeZone = 'UTC'")
  const filesOf = await readByIcebird(query, lake, ['attestations', 'revocations', schema])
  for (const [table, of] of [
    ['attestations', undefined],
    [schema, schema],
  ] as const) {
    const file = join(folder, `lake-${of ?? 'all'}.parquet`)
    await runParquetExport(database, { file, program: 'test', schema: of, since: undefined })
    await compareTable(query, filesOf(table), filesOf('revocations'), file)
  }
  return lines[0] ?? ''
}

/** The files of each table in SQL, once the rows that icebird reads are those that DuckDB reads from them. */
async function readByIcebird(query: Query, lake: string, tables: readonly string[]) {
  const library = 'icebird'
  const { icebergMetadata, icebergManifests, icebergRead } = (await import(library)) as Icebird
  const found = new Map<string, string>()
  const fetchOverNetwork = globalThis.fetch
  globalThis.fetch = fetchFile
  try {
    for (const table of tables) {
      const tableUrl = `file://${lake}/${table}`
      const manifests = await icebergManifests(await icebergMetadata({ tableUrl }))
      const paths = manifests.flatMap(({ entries }) => entries.map(({ data_file: file }) => file.file_path))
      const files = `read_parquet([${paths.map((file) => `'${file.replace('file://', '')}'`).join(', ')}])`
      found.set(table, files)
      const read = await icebergRead({ tableUrl })
      const rows = await query(`select id, block_number from ${files}`)
      deepEqual(sortedIds(read), sortedIds(rows))
      ok(rows.length > 10)
    }
  } finally {
    globalThis.fetch = fetchOverNetwork
  }
  return (table: string) => found.get(table) ?? ''
}

function sortedIds(rows: readonly Record<string, unknown>[]): readonly string[] {
  return rows.map(({ id, block_number: block }) => `${String(id)} ${String(block)}`).toSorted()
}

/** Asserts that the rows of a table, joined with their revocations, are exactly the rows of an export. */
async function compareTable(query: Query, table: string, revocations: string, file: string): Promise<void> {
  const columns = (
    await query(`select column_name as name, column_type as type from (describe from '${file}')`)
  )
    .map(({ name, type }) => ({ name: String(name), type: String(type) }))
    .filter(({ name }) => !['change', 'revoked', 'revoked_at', 'revoke_reason'].includes(name))
  const cast = ({ name, type }: { readonly name: string; readonly type: string }) =>
    `"${name}"::${type === 'JSON' ? 'varchar' : type} as "${name}"`
  const list = columns.map(cast).join(', ')
  const revoked = 'revoked_at::timestamp as revoked_at, revoke_reason'
  const lake = `select ${list}, r.id is not null as revoked, ${revoked}
    from ${table} left join (select id, protocol, revoked_at, revoke_reason from ${revocations}) r using (id, protocol)`
  const exported = `select ${list}, revoked, ${revoked} from '${file}'`
  const [lakeSql, exportedSql] = [lake, exported].map((sql) => sql.replace('"id"::VARCHAR', 'id'))
  const difference = `select count(*)::int as n from ((${lakeSql} except all ${exportedSql}) union all (${exportedSql} except all ${lakeSql}))`
  const [found] = await query(difference)
  const [time] = await query(`select distinct typeof(attested_at) as type from ${table}`)
  equal(time?.['type'], 'TIMESTAMP WITH TIME ZONE')
  equal(found?.['n'], 0)
}

/** Answers for the files of a folder as a web server does. */
function fetchFile(input: string | URL | Request, init?: RequestInit): Promise<Response> {
  const url = input instanceof Request ? input.url : String(input)
  const file = readFileSync(url.replace('file://', ''))
  const range = /^bytes=(\d+)-(\d*)$/.exec(new Headers(init?.headers).get('range') ?? '')
  if (range === null) return Promise.resolve(new Response(new Uint8Array(file)))
  const end = range[2] === '' ? file.length : Number(range[2]) + 1
  const part = file.subarray(Number(range[1]), end)
  return Promise.resolve(new Response(new Uint8Array(part), { status: 206 }))
}
