import { createServer, type RequestListener } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo, Server } from 'node:net'
import { Agent } from 'undici'
import { afterEach, expect, test } from 'vitest'
import { deliverMessage } from './deliverMessage.ts'
import { testSecret } from './testing/startReceiver.ts'

/** A certificate that nobody vouches for, valid until 2126. */
const certificate = `-----BEGIN CERTIFICATE-----
MIIBhjCCAS2gAwIBAgIUEcAN8JYlEBaN8fzm3WhEuJdKjegwCgYIKoZIzj0EAwIw
GDEWMBQGA1UEAwwNcmVjZWl2ZXIudGVzdDAgFw0yNjExMjIyMTQzMjVaGA8yMTI2
MTAyOTIxNDMyNVowGDEWMBQGA1UEAwwNcmVjZWl2ZXIudGVzdDBZMBMGByqGSM49
AgEGCCqGSM49AwEHA0IABPJkeUi2uNpSa1f7ey4aedJ446XEFp8wtyCzWL6Xp0iw
3kXKXBohq49DRxZnTaO2R5gjjeoEAtBMmaCrSeo/h9ijUzBRMB0GA1UdDgQWBBSa
rLyeiFqSK8n9unVgVJrHOso4+zAfBgNVHSMEGDAWgBSarLyeiFqSK8n9unVgVJrH
Oso4+zAPBgNVHRMBAf8EBTADAQH/MAoGCCqGSM49BAMCA0cAMEQCIDn7v1tyl+4E
ItwwJfHrvnJ9XyYJkEHx57uKIWBCmA6ZAiBWAirtqah1rMHM/SvOfeCGxKaccwoT
Fwj6yY4p/AqSWA==
-----END CERTIFICATE-----
`
const key = `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQg75TFXSKWl0sJPJPY
v+plVpp+wthzVrhJLcsJPNbm0lKhRANCAATyZHlItrjaUmtX+3suGnnSeOOlxBaf
MLcgs1i+l6dIsN5FylwaIauPQ0cWZ02jtkeYI43qBALQTJmgq0nqP4fY
-----END PRIVATE KEY-----
`

const closing: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close()
})

async function listen(server: Server & { closeAllConnections(): void }, protocol = 'http'): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  closing.push(() => {
    server.closeAllConnections()
    server.close()
  })
  return `${protocol}://127.0.0.1:${(server.address() as AddressInfo).port}/?key=hidden`
}

const serve = (answer: RequestListener) => listen(createServer(answer))

async function deliver(url: string, stop = new AbortController().signal) {
  const agent = new Agent({ connections: 1 })
  closing.push(() => agent.destroy())
  const message = { id: 'msg_1', body: '{}' }
  return await deliverMessage({ url, secrets: [testSecret], agent }, message, 1_800_000_000, stop)
}

test('an answer whose body never ends delivers, and keeps nothing waiting', async () => {
  let closed = 0
  const url = await serve((_request, response) => {
    response.writeHead(200)
    const writing = setInterval(() => response.write('x'), 20)
    response.on('close', () => {
      clearInterval(writing)
      closed += 1
    })
  })
  expect(await deliver(url)).toBeNull()
  await expect.poll(() => closed).toBe(1)
})

test('an answer whose body is long delivers, and is not read to its end', async () => {
  const url = await serve((_request, response) => response.writeHead(200).end('x'.repeat(2 ** 24)))
  expect(await deliver(url)).toBeNull()
})

test.each([
  [301, 'the receiver answered 301; redirects are not followed'],
  [410, 'the receiver answered 410'],
  [503, 'the receiver answered 503'],
])('status %i delivers nothing', async (status, message) => {
  const url = await serve((_request, response) =>
    response.writeHead(status, { location: 'http://127.0.0.1:9/' }).end(),
  )
  expect(await deliver(url)).toEqual({ message })
})

test.each([
  [429, '30', 30_000],
  [503, new Date(1_800_000_090_000).toUTCString(), 90_000],
  [503, '99999999999999999999', 86_400_000],
  [429, 'Wed, 01 Jan 2020 00:00:00 GMT', 0],
  [429, 'soon', undefined],
  [429, '-5', undefined],
])('status %i with Retry-After %j asks for a pause of %j ms', async (status, header, retryAfterMs) => {
  const url = await serve((_request, response) => response.writeHead(status, { 'retry-after': header }).end())
  expect((await deliver(url))?.retryAfterMs).toBe(retryAfterMs)
})

test('each failure of the network is one sentence without the URL', async () => {
  const broken = await serve((request) => request.socket.destroy())
  const unknown = await listen(
    createTlsServer({ cert: certificate, key }, (_request, response) => response.end()),
    'https',
  )
  const plain = (await serve((_request, response) => response.end())).replace('http:', 'https:')
  const failures = [
    broken,
    unknown,
    plain,
    'http://127.0.0.1:9/?key=hidden',
    'http://nowhere.invalid/?key=hidden',
  ]
  const messages = []
  for (const url of failures) messages.push((await deliver(url))?.message)
  expect(messages).toEqual([
    expect.stringMatching(/^the receiver broke off the connection \(/),
    'the certificate of the receiver is not valid (DEPTH_ZERO_SELF_SIGNED_CERT)',
    expect.stringMatching(/^no TLS connection to the receiver can be made \(/),
    'the receiver accepts no connection (ECONNREFUSED)',
    expect.stringMatching(/^the name of the receiver (has no address|cannot be resolved)/),
  ])
  expect(messages.join()).not.toContain('hidden')
})

test('a receiver that hangs is left when the sender stops', async () => {
  const stop = new AbortController()
  const url = await serve(() => stop.abort())
  expect(await deliver(url, stop.signal)).not.toBeNull()
})
