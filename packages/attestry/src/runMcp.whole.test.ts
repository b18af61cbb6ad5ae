import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Client, type TextContent } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { afterAll, expect, test } from 'vitest'
import { sampleChainId } from '@attestry/server/pipeline/testing/sampleRecords.ts'
import { migrateSqlite } from '@attestry/store/sqlite/migrateSqlite.ts'
import { projections } from '@attestry/test/harness/projections.ts'
import { openSqliteWriter } from '@attestry/store/sqlite/openSqliteWriter.ts'

const folder = mkdtempSync(join(tmpdir(), 'attestry-mcp-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const configuration = `
chains:
  - { chainId: ${sampleChainId}, rpc: ['http://127.0.0.1:1'], protocols: [sign] }
  - { chainId: 8453, rpc: ['http://127.0.0.1:1'], protocols: [sign] }
`

test('attestry mcp answers on standard input and output, and ends with its input', async () => {
  const database = join(folder, 'index.db')
  migrateSqlite(database, { projections })
  const writer = openSqliteWriter(database, { projections })
  await writer.openChain({ chainId: sampleChainId, name: 'Sepolia', contracts: [] })
  await writer.close()
  writeFileSync(join(folder, 'attestry.yaml'), configuration)
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [fileURLToPath(new URL('./attestry.js', import.meta.url)), 'mcp'],
    cwd: folder,
    env: { PATH: process.env['PATH'] ?? '', DATABASE_URL: database },
  })
  const client = new Client({ name: 'test', version: '1' })
  await client.connect(transport)
  const ended = new Promise<void>((resolve) => {
    client.onclose = resolve
  })
  const { content } = await client.callTool({ name: 'list_chains', arguments: {} })
  const [{ text }] = content as [TextContent]
  expect(JSON.parse(text)).toMatchObject({ rows: [{ name: 'Sepolia' }] })
  // The index has never seen the second chain of the configuration.
  const listed = await client.callTool({ name: 'list_attestations', arguments: {} })
  expect(JSON.stringify(listed.content)).toContain('8453:none:none')
  await client.close()
  await ended
})
