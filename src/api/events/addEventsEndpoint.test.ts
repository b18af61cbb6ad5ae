import { get, type ClientRequest, type IncomingMessage } from 'node:http'
import type { FastifyInstance } from 'fastify'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { localIdOfCounter } from '../../model/compositeId.ts'
import type { JsonFragment } from '../../model/recordJson.ts'
import { createServer } from '../createServer.ts'
import { createMemoryQueries } from '../testing/createMemoryQueries.ts'
import { createMemoryJournal, madeChange, type MemoryJournal } from '../testing/createMemoryJournal.ts'
import { createMemoryIndex, createMemoryReader } from '../testing/createMemoryReader.ts'
import { sampleAddress, sampleAttestation, sampleChainId } from '../testing/sampleRecords.ts'
import { listenLocally } from '../testing/sendRaw.ts'

let journal: MemoryJournal
let app: FastifyInstance
let port: number
const requests: ClientRequest[] = []

beforeEach(async () => {
  journal = createMemoryJournal()
  const index = createMemoryIndex()
  const reader = {
    ...createMemoryReader(index),
    indexVersion: () => Promise.resolve(journal.version()),
  }
  const eventLimits = { connectionsMax: 3, pollIntervalMs: 2, heartbeatMs: 40, pendingBytesMax: 100_000 }
  app = createServer({ reader, queries: createMemoryQueries(index), journal, eventLimits })
  port = await listenLocally(app)
})

afterEach(async () => {
  for (const request of requests.splice(0)) request.destroy()
  await app.close()
})

describe('/scan/events', () => {
  test('tells of what happens from now on, each event with a name, an id and one line of data', async () => {
    journal.add(changeOf(1))
    const stream = await listen()
    expect(stream.headers).toMatchObject({
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-store',
      'access-control-allow-origin': '*',
    })
    await vi.waitUntil(() => /^retry: [0-9]+\nid: [0-9]+-[0-9]+\n\n/.test(stream.text()), { timeout: 30_000 })
    const revoked = { ...changeOf(1), kind: 'revocation' as const }
    const summaryJson = '"id":"onchain_evm_1_0x1","chainId":"1","schemaId":"0x1"' as JsonFragment
    journal.add(changeOf(2), revoked, { kind: 'reverted', record: 'schema', summaryJson }, { kind: 'reset' })
    const events = await stream.events(4)
    expect(events.map(({ name }) => name)).toEqual(['attestation', 'revocation', 'revert', 'reset'])
    expect(events[0]?.data).toMatchObject({
      attestationId: '0x2',
      revoked: false,
      schema: { name: 'Schema' },
    })
    expect(events[2]?.data).toEqual({
      record: 'schema',
      id: 'onchain_evm_1_0x1',
      chainId: '1',
      schemaId: '0x1',
    })
    expect(new Set(events.map(({ id }) => id)).size).toBe(4)
  })

  test('goes on behind the last event that was read, by header or by parameter', async () => {
    const first = await listen()
    await vi.waitUntil(() => first.text() !== '', { timeout: 30_000 })
    journal.add(changeOf(1), changeOf(2), changeOf(3))
    const [one, two] = await first.events(3)
    first.leave()
    journal.add(changeOf(4))
    const byHeader = await listen('', { 'last-event-id': two?.id ?? '' })
    expect((await byHeader.events(2)).map(({ data }) => data['attestationId'])).toEqual(['0x3', '0x4'])
    const byParameter = await listen(`?lastEventId=${one?.id}`)
    expect((await byParameter.events(3)).map(({ data }) => data['attestationId'])).toEqual([
      '0x2',
      '0x3',
      '0x4',
    ])
    journal.add(changeOf(5))
    expect((await byParameter.events(4)).at(-1)?.data['attestationId']).toBe('0x5')
    expect((await byHeader.events(3)).at(-1)?.data['attestationId']).toBe('0x5')
  })

  test.each(['1-1', '999999999999-0', 'nonsense', '9'.repeat(300)])(
    'says that events are missing where it does not know the last one: %s',
    async (id) => {
      const stream = await listen('', { 'last-event-id': id })
      expect((await stream.events(1))[0]).toMatchObject({ name: 'reset', data: {} })
      journal.add(changeOf(7))
      expect((await stream.events(2))[1]?.data).toMatchObject({ attestationId: '0x7' })
    },
  )

  test.each([
    [`schemaId=onchain_evm_${sampleChainId}_0x2`, [3]],
    [`attester=${sampleAddress(8).toUpperCase().replace('X', 'x')}`, [2]],
    [`recipient=${sampleAddress(9)}`, [1]],
    ['recipient=did:key:z', [4]],
    [`chainId=${sampleChainId}`, [1, 2, 3, 4]],
    ['chainId=1', [5]],
    ['chainId=1&recipient=did:key:z', []],
    ['schemaId=offchain_evm_1_x', []],
  ])('%s narrows it', async (query, expected) => {
    const stream = await listen(`?${query}`)
    await vi.waitUntil(() => stream.text() !== '', { timeout: 30_000 })
    journal.add(
      changeOf(1, { recipients: [{ kind: 'address', address: sampleAddress(9) }] }),
      changeOf(2, { attester: sampleAddress(8) }),
      changeOf(3, { schemaLocalId: localIdOfCounter(2n) }),
      changeOf(4, { recipients: [{ kind: 'text', text: 'did:key:z' }] }),
      changeOf(5, { key: { chainId: 1, localId: localIdOfCounter(5n) } }),
      { kind: 'reset' },
    )
    const events = await stream.events(expected.length + 1)
    expect(events.map(({ data }) => data['attestationId'])).toEqual([
      ...expected.map((number) => `0x${number.toString(16)}`),
      undefined,
    ])
  })

  test('refuses filters that are malformed', async () => {
    const { status } = await fetch(`http://127.0.0.1:${port}/scan/events?chainId=x`)
    expect(status).toBe(400)
  })

  test('shows that it lives while nothing happens, and moves the place of one whom nothing concerns', async () => {
    const stream = await listen('?chainId=1')
    journal.add(changeOf(1), changeOf(2))
    await vi.waitUntil(
      async () => {
        const { sequence, offset } = await journal.newestChange()
        return stream.text().endsWith(`: still here\nid: ${sequence}-${offset}\n\n`)
      },
      { timeout: 30_000 },
    )
    expect(stream.text()).not.toContain('event:')
  })

  test('cuts off a reader that takes nothing, and the others live on', async () => {
    const [slow, quick] = [await listen(), await listen()]
    await vi.waitUntil(() => slow.text() !== '' && quick.text() !== '', { timeout: 30_000 })
    slow.pause()
    let made = 0
    await vi.waitUntil(
      async () => {
        journal.add(changeOf(++made, { indexingValue: 'x'.repeat(50_000) }))
        await quick.events(made)
        return (await connectionCount()) === 1
      },
      { timeout: 20_000, interval: 0 },
    )
    expect((await quick.events(made)).length).toBe(made)
  }, 30_000)

  test('takes no more connections than it may, and says when to come back', async () => {
    for (let i = 0; i < 3; i++) await listen()
    const refused = await fetch(`http://127.0.0.1:${port}/api/scan/events`)
    expect(refused.status).toBe(503)
    expect(refused.headers.get('retry-after')).toMatch(/^[0-9]+$/)
    requests[0]?.destroy()
    await vi.waitUntil(
      async () => {
        const { response } = await request('/api/scan/events', {})
        return response.statusCode === 200
      },
      { timeout: 30_000 },
    )
  })

  test('ends when the server does', async () => {
    const stream = await listen()
    await app.close()
    expect(await stream.ended).toBe(true)
  })

  test('answers HEAD without a stream', async () => {
    const response = await fetch(`http://127.0.0.1:${port}/scan/events`, { method: 'HEAD' })
    expect(response.status).toBe(200)
    expect(response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8')
  })
})

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
      await vi.waitUntil(() => read().length >= count, { timeout: 30_000, interval: 2 })
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

function changeOf(number: number, oddities: Partial<Parameters<typeof madeChange>[0]> = {}) {
  const key = { chainId: sampleChainId, localId: localIdOfCounter(BigInt(number)) }
  return madeChange(sampleAttestation(number, { key, ...oddities }))
}
