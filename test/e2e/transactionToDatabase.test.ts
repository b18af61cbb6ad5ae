import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { testSecret } from '@attestry/hooks/testing/startReceiver.ts'
import { startLocalChain, type LocalChain } from '../harness/localChain.ts'
import { spawnAttestry } from '../harness/spawnAttestry.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
let folder: string
let chain: LocalChain
const cleanups: (() => unknown)[] = []

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'attestry-docs-'))
  cleanups.push(() => rmSync(folder, { recursive: true, force: true }))
  chain = await startLocalChain()
  cleanups.push(() => chain.stop())
  await chain.setAutomine(true)
})
afterAll(async () => {
  for (const cleanup of cleanups.reverse()) await cleanup()
})

test('the program of docs/transaction-to-database.md does what the page says', async () => {
  const page = readFileSync(join(root, 'docs/transaction-to-database.md'), 'utf8')
  const program = /```ts\n([\s\S]*?)```/.exec(page)?.[1] ?? ''
  // The client is used from its source; an installed one is JavaScript.
  writeFileSync(
    join(folder, 'program.ts'),
    program.replace("'@attestry/client'", JSON.stringify(join(root, 'client/src/index.ts'))),
  )
  writeFileSync(join(folder, 'sign.ts'), signModule())
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
  const port = await takeFreePort()
  writeFileSync(
    join(folder, 'attestry.yaml'),
    `database: sqlite:index.db\nserver: { workers: 1, explorer: false }\nchains:\n  - chainId: ${chain.chainId}\n    rpc: ["${chain.url}"]\n` +
      `    contracts: [{ protocol: sign, address: "${chain.address}", startBlock: ${chain.startBlock} }]\n    pollIntervalMs: 50\n` +
      `hooks:\n  - { name: program, url: "http://127.0.0.1:${port}", secret: "${testSecret}" }\n`,
  )
  const attestry = spawnAttestry(['start', '--port', '0'], { cwd: folder })
  cleanups.push(() => attestry.child.kill('SIGKILL'))
  const { url } = JSON.parse(await attestry.waitForLine(/"serving"/)) as { url: string }

  const child = spawn(process.execPath, ['program.ts'], {
    cwd: folder,
    env: { ...process.env, ATTESTRY_URL: url, HOOK_SECRET: testSecret, PORT: String(port) },
  })
  cleanups.push(() => child.kill('SIGKILL'))
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text
    })
  }
  await vi.waitUntil(
    () => /indexed in block \d+: onchain_evm_31337_0x1\n/.test(output) || child.exitCode !== null,
    {
      timeout: 60_000,
    },
  )
  expect(output).toMatch(/^indexed in block \d+: onchain_evm_31337_0x1$/m)
  const unsigned = await fetch(`http://127.0.0.1:${port}`, {
    method: 'POST',
    body: '{"type":"attestation.created"}',
  })
  expect(unsigned.status).toBe(400)
  const database = new DatabaseSync(join(folder, 'program.db'), { readOnly: true, timeout: 5_000 })
  cleanups.push(() => database.close())
  const rows = () => database.prepare('SELECT id, attester, revoked FROM attestation').all()
  const attester = chain.account(4).address
  await vi.waitUntil(() => rows().length === 1, { timeout: 60_000 })
  expect(rows()).toEqual([{ id: 'onchain_evm_31337_0x1', attester, revoked: 0 }])
  await chain.rollback(1)
  await chain.mine(3)
  await vi.waitUntil(() => rows().length === 0, { timeout: 60_000 })
  expect(output).not.toContain('Error')
})

/** The module of the page's reader: a client of Sign Protocol for the local chain, and what to attest. */
function signModule(): string {
  const connected = { url: chain.url, chainId: chain.chainId, address: chain.address }
  const modules = (path: string) => JSON.stringify(join(root, path))
  return [
    `import { createSignSdkClient } from ${modules('test/harness/signSdk.ts')}`,
    `import { demoAccount } from ${modules('demo/src/demoAccounts.ts')}`,
    `export const sign = createSignSdkClient({ ...${JSON.stringify(connected)}, account: demoAccount }, 4)`,
    `const data = [{ name: 'level', type: 'uint8' }]`,
    `const schema = { name: 'Level', description: '', data, revocable: true, maxValidFor: 0 }`,
    `const { schemaId } = await sign.createSchema(schema)`,
    `export const attestation = { schemaId, data: { level: 2 }, recipients: [], indexingValue: '' }`,
  ].join('\n')
}

/** A port on which nothing listens. */
async function takeFreePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return port
}
