import { get, type ClientRequest, type IncomingMessage } from 'node:http'
import type { FastifyInstance } from 'fastify'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { localIdOfCounter } from '@attestry/core/model/compositeId.ts'
import { didAddress } from '@attestry/core/model/didAddress.ts'
import type { Attestation } from '@attestry/core/model/records.ts'
import { createServer } from '../../testing/createServer.ts'
import { createTestJournal, type TestJournal } from '../../pipeline/testing/createTestJournal.ts'
import { createTestIndex, openTestIndex } from '../../pipeline/testing/testIndex.ts'
import { sampleAddress, sampleAttestation, sampleChainId } from '../../pipeline/testing/sampleRecords.ts'
import { listenLocally } from '../../pipeline/testing/sendRaw.ts'

let journal: TestJournal
let app: FastifyInstance
let port: number
const requests: ClientRequest[] = []

beforeEach(async () => {
  journal = createTestJournal()
  const index = openTestIndex(createTestIndex())
  const reader = { ...index, indexVersion: () => journal.indexVersion() }
  const events = { connectionsMax: 16, pollIntervalMs: 2, heartbeatMs: 40, pendingBytesMax: 100_000 }
  app = createServer({ reader, journal, limits: { events }, trustProxy: ['loopback'] })
  port = await listenLocally(app)
})

afterEach(async () => {
  for (const request of requests.splice(0)) request.destroy()
  await app.close()
  await journal.close()
})

describe('/scan/events', () => {
  test('streams new changes, each event with a name, an id and one line of data', async () => {
    await journal.make(attestationOf(1))
    const stream = await listen()
    expect(stream.headers).toMatchObject({
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-store',
      'access-control-allow-origin': '*',
    })
    await vi.waitUntil(() => /^retry: [0-9]+\nid: [0-9]+-[0-9]+\n\n/.test(stream.text()), { timeout: 60_000 })
    const { chainId, localId } = attestationOf(2).key
    await journal.make(attestationOf(2))
    await journal.revoke(chainId, localId)
    await stream.events(2)
    await journal.revert(chainId)
    const events = await stream.events(3)
    expect(events.map(({ name }) => name)).toEqual(['attestation', 'revocation', 'revert'])
    expect(events[0]?.data).toMatchObject({ attestationId: '0x2', schema: { schemaId: '0x1' } })
    expect(events[1]?.data).toMatchObject({ attestationId: '0x2', revoked: true })
    expect(events[2]?.data).toMatchObject({ record: 'revocation', attestationId: '0x2', schemaId: '0x1' })
    expect(new Set(events.map(({ id }) => id)).size).toBe(3)
  })

  test('resumes after the last event id, given by header or by parameter', async () => {
    const first = await listen()
    await vi.waitUntil(() => first.text() !== '', { timeout: 60_000 })
    await journal.make(attestationOf(1), attestationOf(2), attestationOf(3))
    const [one, two] = await first.events(3)
    first.leave()
    await journal.make(attestationOf(4))
    const byHeader = await listen('', { 'last-event-id': two?.id ?? '' })
    expect((await byHeader.events(2)).map(({ data }) => data['attestationId'])).toEqual(['0x3', '0x4'])
    const byParameter = await listen(`?lastEventId=${one?.id}`)
    expect((await byParameter.events(3)).map(({ data }) => data['attestationId'])).toEqual([
      '0x2',
      '0x3',
      '0x4',
    ])
    await journal.make(attestationOf(5))
    expect((await byParameter.events(4)).at(-1)?.data['attestationId']).toBe('0x5')
    expect((await byHeader.events(3)).at(-1)?.data['attestationId']).toBe('0x5')
  })

  test.each(['1-1', '999999999999-0', 'nonsense', '9'.repeat(300)])(
    'says that events are missing where it does not know the last one: %s',
    async (id) => {
      const stream = await listen('', { 'last-event-id': id })
      expect((await stream.events(1))[0]).toMatchObject({ name: 'reset', data: {} })
      await journal.make(attestationOf(7))
      expect((await stream.events(2))[1]?.data).toMatchObject({ attestationId: '0x7' })
    },
  )

  test.each([
    [`schemaId=onchain_evm_${sampleChainId}_0x2`, [3]],
    [`attester=${sampleAddress(8).toUpperCase().replace('X', 'x')}`, [2]],
    [`recipient=${sampleAddress(9)}`, [1]],
    ['recipient=did:key:z', [4]],
    ['recipient=did:cafe%CC%81', [4]],
    ['recipient=0XABC', [4]],
    ['recipient=did:web:Agent.example', [6]],
    [`chainId=${sampleChainId}`, [1, 2, 3, 4, 6]],
    ['chainId=1', [5]],
    ['chainId=1&recipient=did:key:z', []],
    ['schemaId=offchain_evm_1_x', []],
  ])('%s narrows it', async (query, expected) => {
    const stream = await listen(`?${query}`)
    await vi.waitUntil(() => stream.text() !== '', { timeout: 60_000 })
    await journal.make(
      attestationOf(1, { recipients: [{ kind: 'address', address: sampleAddress(9) }] }),
      attestationOf(2, { attester: sampleAddress(8) }),
      attestationOf(3, { schemaLocalId: localIdOfCounter(2n) }),
      attestationOf(4, {
        recipients: ['did:key:z', 'did:caf\u00e9', '0xabc'].map((text) => ({ kind: 'text', text })),
      }),
      attestationOf(5, { key: { chainId: 1, localId: localIdOfCounter(5n) } }),
      attestationOf(6, {
        recipients: [{ kind: 'address', address: didAddress('did:web:agent.example')! }],
      }),
    )
    const events = await eventsUntilNow(stream)
    const ids = expected.map((number) => `0x${number.toString(16)}`)
    expect(new Set(events.map(({ data }) => data['attestationId']))).toEqual(new Set(ids))
    expect(events).toHaveLength(ids.length)
  })

  test('refuses filters that are malformed', async () => {
    const { status } = await fetch(`http://127.0.0.1:${port}/scan/events?chainId=x`)
    expect(status).toBe(400)
  })

  test('shows that it lives while nothing happens, and moves the place of one whom nothing concerns', async () => {
    const stream = await listen('?chainId=1')
    await journal.make(attestationOf(1), attestationOf(2))
    expect(await eventsUntilNow(stream)).toEqual([])
  })

  test('cuts off a reader that takes nothing, and the others live on', async () => {
    const [slow, quick] = [await listen(), await listen()]
    await vi.waitUntil(() => slow.text() !== '' && quick.text() !== '', { timeout: 60_000 })
    slow.pause()
    let made = 0
    await vi.waitUntil(
      async () => {
        await journal.make(attestationOf(++made, { indexingValue: 'x'.repeat(50_000) }))
        await quick.events(made)
        return (await connectionCount()) === 1
      },
      { timeout: 100_000, interval: 0 },
    )
    expect((await quick.events(made)).length).toBe(made)
  })

  test('takes no more connections than it may, and says when to come back', async () => {
    for (let i = 0; i < 3; i++) await listen()
    const refused = await fetch(`http://127.0.0.1:${port}/api/scan/events`)
    expect(refused.status).toBe(503)
    expect(refused.headers.get('retry-after')).toMatch(/^[0-9]+$/)
    const other = await request('/scan/events', { 'x-forwarded-for': '192.0.2.1' })
    expect(other.response.statusCode).toBe(200)
    other.request.destroy()
    requests[0]?.destroy()
    await vi.waitUntil(
      async () => {
        const { response } = await request('/api/scan/events', {})
        return response.statusCode === 200
      },
      { timeout: 60_000 },
    )
  })

  test('ends when the server does', async () => {
    const stream = await listen()
    await app.close()
    expect(await stream.ended).toBe(true)
  })

  test('lists ignored parameters, and refuses those that mean another', async () => {
    const ignored = await fetch(`http://127.0.0.1:${port}/scan/events?_=1`, { method: 'HEAD' })
    expect(ignored.headers.get('x-attestry-ignored')).toBe('_')
    const refused = await fetch(`http://127.0.0.1:${port}/scan/events?schema=onchain_evm_1_0x1`)
    expect(await refused.json()).toMatchObject({
      statusCode: 400,
      message: expect.stringContaining('use schemaId'),
    })
  })

  test('answers HEAD without a stream', async () => {
    const response = await fetch(`http://127.0.0.1:${port}/scan/events`, { method: 'HEAD' })
    expect(response.status).toBe(200)
    expect(response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8')
  })
})

/** The events of a stream, once a heartbeat says that it is behind nothing. */
async function eventsUntilNow(stream: Awaited<ReturnType<typeof listen>>): Promise<Event[]> {
  await vi.waitUntil(
    async () => {
      const { sequence, offset } = await journal.newestChange()
      return stream.text().endsWith(`: still here\nid: ${sequence}-${offset}\n\n`)
    },
    { timeout: 60_000 },
  )
  return await stream.events(0)
}

interface Event {
  readonly name: string
  readonly id: string
  readonly data: Readonly<Record<string, unknown>>
}

async function listen(query = '', headers: Record<string, string> = {}) {
  const { response, request: sent } = await request(`/scan/events${query}`, headers)
  let text = ''
  response.setEncoding('utf8').on('data', (piece: string) => {
    text += piece
  })
  const ended = new Promise<boolean>((resolve) => {
    response.on('end', () => resolve(true))
    response.on('error', () => resolve(false))
  })
  const read = () =>
    [...text.matchAll(/^event: (.*)\nid: (.*)\ndata: (.*)\n\n/gm)].map(
      ([, name = '', id = '', data = '']): Event => ({
        name,
        id,
        data: JSON.parse(data) as Record<string, unknown>,
      }),
    )
  return {
    headers: response.headers,
    ended,
    text: () => text,
    pause: () => response.pause(),
    leave: () => sent.destroy(),
    /** The events so far, as soon as there are that many. */
    events: async (count: number): Promise<Event[]> => {
      await vi.waitUntil(() => read().length >= count, { timeout: 60_000, interval: 2 })
      return read()
    },
  }
}

async function request(
  path: string,
  headers: Record<string, string>,
): Promise<{ readonly response: IncomingMessage; readonly request: ClientRequest }> {
  return await new Promise((resolve, reject) => {
    const sent = get({ host: '127.0.0.1', port, path, headers, agent: false }, (response) =>
      resolve({ response, request: sent }),
    )
    sent.on('error', reject)
    requests.push(sent)
  })
}

async function connectionCount(): Promise<number> {
  return await new Promise((resolve, reject) => {
    app.server.getConnections((error, count) => (error === null ? resolve(count) : reject(error)))
  })
}

function attestationOf(number: number, oddities: Partial<Attestation> = {}) {
  const key = { chainId: sampleChainId, localId: localIdOfCounter(BigInt(number)) }
  return sampleAttestation(number, { key, ...oddities })
}
