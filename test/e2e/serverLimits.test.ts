import { createServer, type AddressInfo } from 'node:net'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { migrateSqlite } from '@attestry/store/sqlite/migrateSqlite.ts'
import { spawnAttestry, type SpawnedAttestry } from '../harness/spawnAttestry.ts'
import { projections } from '../harness/projections.ts'

let folder = ''
let program: SpawnedAttestry | null = null
afterEach(() => {
  program?.child.kill('SIGKILL')
  rmSync(folder, { recursive: true, force: true })
})

test('limits of rates, proxies and the port of the figures come from the configuration', async () => {
  folder = mkdtempSync(join(tmpdir(), 'attestry-limits-'))
  migrateSqlite(join(folder, 'index.db'), { projections })
  const metricsPort = await takeFreePort()
  writeFileSync(
    join(folder, 'attestry.yaml'),
    `database: sqlite:index.db
server:
  workers: 1
  metricsPort: ${metricsPort}
  rateLimit: { max: 3, windowSeconds: 600 }
  trustProxy: [loopback]
chains:
  - chainId: 31337
    rpc: ["http://127.0.0.1:1"]
    contracts: [{ protocol: sign, address: "0x${'1'.repeat(40)}", startBlock: 0 }]
`,
  )
  program = spawnAttestry(['serve', '--port', '0'], { cwd: folder })
  const { url } = JSON.parse(await program.waitForLine(/"serving"/)) as { readonly url: string }
  const ask = async (path: string, client: string) =>
    await fetch(url + path, { headers: { 'x-forwarded-for': client } })

  const statuses: number[] = []
  // Without the limit, the answer cache would serve the second and later requests.
  for (let i = 0; i < 5; i++) statuses.push((await ask('/scan/top-schemas', '192.0.2.1')).status)
  expect(statuses).toEqual([200, 200, 200, 429, 429])
  const other = await ask('/scan/top-schemas', '192.0.2.2')
  expect([other.status, other.headers.get('x-ratelimit-remaining')]).toEqual([200, '2'])
  expect((await ask('/metrics', '192.0.2.3')).status).toBe(404)

  const figures = await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text()
  expect(figures).toContain('attestry_http_requests_total{route="/scan/top-schemas",status="200"} 4\n')
  expect(figures).toContain('attestry_http_requests_total{route="/scan/top-schemas",status="429"} 2\n')
  program.child.kill('SIGTERM')
  expect((await program.waitForExit()).code).toBe(0)
})

/** A port on which nothing listens. */
async function takeFreePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  // `address()` of a server that listens on a port is an `AddressInfo`.
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return port
}
