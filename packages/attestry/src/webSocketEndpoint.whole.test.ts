import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { answerBlocks, fakeAddress, fakeBlock } from '@attestry/test/harness/fakeBlocks.ts'
import { startScriptedRpcServer } from '@attestry/test/harness/scriptedRpcServer.ts'
import { spawnAttestry } from '@attestry/test/harness/spawnAttestry.ts'

const cleanups: (() => unknown)[] = []
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup()
})

test('follows an endpoint that pushes heads, reports it, and never shows the key in its URL', async () => {
  const server = await startScriptedRpcServer(31_337, {
    eth_getLogs: () => [],
    eth_subscribe: () => '0x1',
    eth_getBlockByNumber: answerBlocks(500),
  })
  cleanups.push(() => server.close())
  const folder = mkdtempSync(join(tmpdir(), 'attestry-heads-'))
  cleanups.push(() => rmSync(folder, { recursive: true, force: true }))
  const secrets = ['s3cretUser', 'p4ssword', 'k3yInPath', 'k3yInQuery']
  // Polls are an hour apart: only a pushed head leads to an indexed block.
  writeFileSync(
    join(folder, 'attestry.yaml'),
    `database: sqlite:index.db
server: { host: 127.0.0.1, port: 0, workers: 1, explorer: false }
chains:
  - chainId: 31337
    name: Told
    rpc: ["ws://s3cretUser:p4ssword@${server.host}/v2/k3yInPath?key=k3yInQuery"]
    contracts: [{ protocol: sign, address: "${fakeAddress}", startBlock: 400 }]
    finality: 4
    pollIntervalMs: 3600000
`,
  )
  const attestry = spawnAttestry(['start'], { cwd: folder })
  cleanups.push(() => attestry.child.kill('SIGKILL'))
  const url = /"url":"([^"]+)"/.exec(await attestry.waitForLine(/"msg":"serving"/))?.[1] ?? ''
  const shown: string[] = []
  const read = async (path: string) => {
    const text = await (await fetch(url + path)).text()
    shown.push(text)
    return text
  }
  const chain = async () => {
    const { data } = JSON.parse(await read('/scan/chains')) as { data: { rows: Record<string, unknown>[] } }
    return { indexedBlock: data.rows[0]?.['indexedBlock'], headSource: data.rows[0]?.['headSource'] }
  }
  const tell = (number: number) => {
    server.on('eth_getBlockByNumber', answerBlocks(number))
    server.notify(fakeBlock(number))
  }

  await expect.poll(chain).toMatchObject({ indexedBlock: 500 })
  await expect.poll(() => server.callsOf('eth_subscribe').length).toBe(1)
  tell(501)
  await expect.poll(chain).toEqual({ indexedBlock: 501, headSource: 'subscription' })
  expect(await read('/metrics')).toContain('attestry_chain_head_subscribed{chain_id="31337",name="Told"} 1')

  // A block comes while the connection is lost, and one after it is open again.
  server.on('eth_getBlockByNumber', answerBlocks(502))
  for (const socket of server.sockets) socket.terminate()
  await expect.poll(chain).toMatchObject({ indexedBlock: 502 })
  await expect.poll(() => server.callsOf('eth_subscribe').length).toBe(2)
  tell(503)
  await expect.poll(chain).toEqual({ indexedBlock: 503, headSource: 'subscription' })

  await read('/readyz')
  await read('/metrics')
  await attestry.waitForLine(new RegExp(`endpoint ${server.host} tells of new heads`))
  await attestry.waitForLine(new RegExp(`${server.host} closed the connection`))
  const log = attestry.stdout() + attestry.stderr()
  for (const secret of secrets) expect([log, ...shown].join('\n')).not.toContain(secret)
})
