import { deepEqual, equal, ok } from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createServer } from '@attestry/server/testing/createServer.ts'
import { openDatabase } from '@attestry/host/openDatabase.ts'
import { runParquetExport } from '@attestry/archive/commands/parquet/runParquetExport.ts'
import { decodeAttestedPayload } from '@attestry/core/protocols/decodeAttestedPayload.ts'
import { compareLake } from './compareLake.ts'
import { demoChainId, fillExplorerIndex } from '../explorer/fixture/fillExplorerIndex.ts'

/**
 * `npm run test:duckdb`: DuckDB reads the Parquet files of an export, with the types that the columns have there, and
 * those of a lake.
 * DuckDB is installed only beside this file, since it takes 70 MB. `npm test` reads the files with a smaller library.
 */

/** The part of `@duckdb/node-api` that is used. */
interface DuckDb {
  readonly DuckDBInstance: { create(): Promise<{ connect(): Promise<DuckDbConnection> }> }
}

interface DuckDbConnection {
  runAndReadAll(sql: string): Promise<{ getRowObjectsJson(): readonly Record<string, unknown>[] }>
}

const folder = mkdtempSync(join(tmpdir(), 'attestry-duckdb-'))
try {
  await compare()
} finally {
  rmSync(folder, { recursive: true, force: true })
}

/** The file of a schema as a server answers it. */
async function fetchParquet(path: string, schemaId: string): Promise<string> {
  const reader = (await openDatabase({ kind: 'sqlite', path })).openReader()
  const app = createServer({ reader, decodePayload: decodeAttestedPayload })
  try {
    const { rawPayload } = await app.inject(`/scan/export/attestations.parquet?schemaId=${schemaId}`)
    const file = join(folder, 'served.parquet')
    writeFileSync(file, rawPayload)
    return file
  } finally {
    await app.close()
    await reader.close()
  }
}

async function compare(): Promise<void> {
  const library = '@duckdb/node-api'
  const { DuckDBInstance } = (await import(library)) as DuckDb
  const connection = await (await DuckDBInstance.create()).connect()
  const query = async (sql: string) => (await connection.runAndReadAll(sql)).getRowObjectsJson()

  const path = join(folder, 'index.db')
  const attestations = 500
  await fillExplorerIndex(path, { attestations, odd: true, agents: true })
  const database = { kind: 'sqlite', path } as const
  const all = { file: join(folder, 'all.parquet'), program: 'test', schema: undefined, since: undefined }
  const told = await runParquetExport(database, all)
  const [counted] = await query(
    `select count(*)::int as n, count(distinct id)::int as ids from '${all.file}'`,
  )
  deepEqual(counted, { n: Number.parseInt(told), ids: Number.parseInt(told) })
  ok(Number.parseInt(told) > attestations)

  const kyc = { ...all, file: join(folder, 'kyc.parquet'), schema: `onchain_evm_${demoChainId}_0x1` }
  await runParquetExport(database, kyc)
  const served = await fetchParquet(path, kyc.schema)
  deepEqual(await query(`select * from '${served}'`), await query(`select * from '${kyc.file}'`))
  const types = await query(
    `select column_name as name, column_type as type from (describe from '${kyc.file}')`,
  )
  const typeOf: Record<string, unknown> = Object.fromEntries(
    types.map(({ name, type }) => [String(name), type]),
  )
  equal(typeOf['level'], 'INTEGER')
  equal(typeOf['checkedAt'], 'UBIGINT')
  equal(typeOf['country'], 'VARCHAR')
  equal(typeOf['recipients'], 'VARCHAR[]')
  ok(String(typeOf['attested_at']).startsWith('TIMESTAMP'))
  equal(typeOf['revoked'], 'BOOLEAN')
  const [same] = await query(
    `select count(*)::int as n from '${kyc.file}' k join '${all.file}' a using (id)
     where k.country = (a.decoded->>'country') and k."checkedAt" = (a.decoded->>'checkedAt')::ubigint`,
  )
  const [rows] = await query(`select count(*)::int as n from '${kyc.file}'`)
  deepEqual(same, rows)
  ok(Number(rows?.['n']) > 10)
  process.stdout.write(`DuckDB reads ${told.replace(/;.*/, '')}\n`)
  const lake = await compareLake(query, folder, path, kyc.schema)
  process.stdout.write(`DuckDB and icebird read the lake: ${lake}\n`)
}
