import { spawn, spawnSync, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { FastifyInstance } from 'fastify'
import { afterEach, describe, expect, test } from 'vitest'
import { createServer } from '@attestry/server/testing/createServer.ts'
import { createTestJournal } from '@attestry/server/pipeline/testing/createTestJournal.ts'
import { createSampleIndex } from '@attestry/server/pipeline/testing/sampleIndex.ts'
import { listenLocally } from '@attestry/server/pipeline/testing/sendRaw.ts'
import { openTestIndex } from '@attestry/server/pipeline/testing/testIndex.ts'
import { findFreePort } from '../harness/postgresServer.ts'

const read = (file: string) => readFileSync(join(import.meta.dirname, '../../deploy', file), 'utf8')

/** Runs each configuration of `deploy/` without its certificates, on local ports. */
const proxies = {
  nginx: {
    file: 'nginx.conf',
    configure: (text: string, folder: string, port: number, upstream: number) =>
      `daemon off;\npid ${folder}/pid;\nerror_log ${folder}/error.log;\n` +
      text
        .replace(
          'http {',
          `http {\n  access_log off;\n  client_body_temp_path ${folder}/body;\n  proxy_temp_path ${folder}/proxy;\n` +
            `  fastcgi_temp_path ${folder}/fastcgi;\n  uwsgi_temp_path ${folder}/uwsgi;\n  scgi_temp_path ${folder}/scgi;`,
        )
        .replace('listen 443 ssl;', `listen 127.0.0.1:${port};`)
        .replaceAll(/ssl_certificate.*;\n/g, '')
        .replace('127.0.0.1:4000', `127.0.0.1:${upstream}`),
    command: (config: string, folder: string) => [
      '-e',
      join(folder, 'error.log'),
      '-p',
      folder,
      '-c',
      config,
    ],
  },
  caddy: {
    file: 'Caddyfile',
    configure: (text: string, _folder: string, port: number, upstream: number) =>
      `{\n\tadmin off\n\tauto_https off\n}\n` +
      text
        .replace('index.example', `http://127.0.0.1:${port}`)
        .replace('127.0.0.1:4000', `127.0.0.1:${upstream}`),
    command: (config: string) => ['run', '--adapter', 'caddyfile', '--config', config],
  },
} as const

let proxy: ChildProcess | null = null
let app: FastifyInstance | null = null
let folder: string | null = null
const journal = createTestJournal()

afterEach(async () => {
  if (proxy !== null && proxy.exitCode === null) {
    const gone = once(proxy, 'exit')
    // nginx ends its workers; Caddy would wait for a minute until all connections are idle.
    proxy.kill(proxy.spawnfile === 'caddy' ? 'SIGKILL' : 'SIGTERM')
    await gone
  }
  await app?.close()
  if (folder !== null) rmSync(folder, { recursive: true, force: true })
  proxy = app = folder = null
})

const isInstalled = (name: string) => spawnSync(name, ['-v']).error === undefined

describe.each(['nginx', 'caddy'] as const)('the configuration of %s in deploy/', (name) => {
  test.runIf(isInstalled(name))('serves the public as the program itself would', async () => {
    const index = createSampleIndex()
    app = createServer({
      reader: openTestIndex(index),
      journal,
      trustProxy: ['loopback'],
      rateLimit: { max: 20, windowSeconds: 3_600 },
    })
    const upstream = await listenLocally(app)
    const port = await findFreePort()
    folder = mkdtempSync(join(tmpdir(), 'attestry-proxy-'))
    mkdirSync(join(folder, 'logs'))
    const { file, configure, command } = proxies[name]
    const config = join(folder, file)
    writeFileSync(config, configure(read(file), folder, port, upstream))
    const env = { ...process.env, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder, HOME: folder }
    proxy = spawn(name, [...command(config, folder)], { env, stdio: 'ignore' })
    const site = `http://127.0.0.1:${port}`
    const ask = (path: string, init?: RequestInit) => fetch(site + path, init)
    await expect
      .poll(() =>
        ask('/healthz').then(
          ({ status }) => status,
          () => 0,
        ),
      )
      .toBe(200)

    const direct = await (await fetch(`http://127.0.0.1:${upstream}/scan/latest-attestations`)).text()
    const answer = await ask('/scan/latest-attestations', { headers: { 'accept-encoding': 'br' } })
    expect(await answer.text()).toBe(direct)
    const tag = { 'if-none-match': answer.headers.get('etag') ?? '' }
    expect((await ask('/scan/latest-attestations', { headers: tag })).status).toBe(304)
    expect((await ask('/metrics')).status).toBe(404)
    const post = (body: string) =>
      ask('/scan/attestations/status', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body,
      })
    expect((await post(JSON.stringify({ ids: ['onchain_evm_1_0x1'] }))).status).toBe(200)
    // Caddy calls it a bad gateway where the program ends the connection first.
    expect([413, 502]).toContain((await post(' '.repeat(2_200_000))).status)

    const stop = new AbortController()
    const stream = await ask('/scan/events', { signal: stop.signal })
    const first = (await stream.body?.getReader().read()) as { readonly value?: Uint8Array }
    expect(first.value?.length).toBeGreaterThan(0)
    stop.abort()

    // A client cannot be another one by a header of its own.
    const statuses: number[] = []
    for (let i = 0; i < 20; i++) {
      const headers = { 'x-forwarded-for': `192.0.2.${i}` }
      statuses.push((await ask('/scan/top-schemas', { headers })).status)
    }
    expect(statuses.at(-1)).toBe(429)
  })
})
