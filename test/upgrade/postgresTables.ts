import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'
import { Client } from 'pg'
import { from as copyFrom, to as copyTo } from 'pg-copy-streams'
import { stepsFrom } from '@attestry/store/layout/layoutSteps.ts'
import { progressTable, projectionStatements } from '@attestry/store/layout/projectionStatements.ts'
import { postgresLayout, postgresWords } from '@attestry/store/postgres/migrations.ts'
import { projections } from '../harness/projections.ts'

/** The rows of each table, in the text format of COPY. */
export type TableTexts = Readonly<Record<string, string>>

export async function readTables(url: string): Promise<TableTexts> {
  return withClient(url, async (client) => {
    const texts: Record<string, string> = {}
    for (const table of await listTables(client)) {
      texts[table] = await text(client.query(copyTo(`COPY ${table} TO STDOUT`)))
    }
    return texts
  })
}

/** Gives an empty database the tables of a layout, with these rows. */
export async function writeTables(url: string, layout: number, texts: TableTexts): Promise<void> {
  const { baseline, steps } = postgresLayout
  const ofLayout = { baseline, steps: steps.slice(0, layout - baseline.version) }
  await withClient(url, async (client) => {
    for (const step of stepsFrom(ofLayout, 0)) await client.query(step)
    // Versions before projections had their tables in the layout, and noted no progress.
    await client.query(projectionStatements(projections, postgresWords))
    if (texts[progressTable.name] === undefined) await client.query(`DROP TABLE ${progressTable.name}`)
    // The layout itself inserts rows.
    await client.query(`TRUNCATE ${(await listTables(client)).join()}`)
    for (const [table, rows] of Object.entries(texts)) {
      await pipeline(Readable.from([rows]), client.query(copyFrom(`COPY ${table} FROM STDIN`)))
    }
  })
}

/** Runs a statement; resolves with the first column of its first row. */
export async function runStatement(url: string, sql: string): Promise<unknown> {
  return withClient(url, async (client) => {
    const { rows } = await client.query<unknown[]>({ text: sql, rowMode: 'array' })
    return rows[0]?.[0]
  })
}

async function listTables(client: Client): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>(
    "SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public' ORDER BY tablename",
  )
  return rows.map(({ name }) => name)
}

async function withClient<Result>(url: string, work: (client: Client) => Promise<Result>): Promise<Result> {
  const client = new Client(url)
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}
