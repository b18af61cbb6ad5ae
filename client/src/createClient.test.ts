import { encodeAbiParameters, parseAbiParameters } from 'viem'
import { afterAll, beforeAll, describe, expect, expectTypeOf, test } from 'vitest'
import {
  sampleAddress,
  sampleAnchor,
  sampleAttestation,
  sampleSchema,
} from '@attestry/server/pipeline/testing/sampleRecords.ts'
import { localIdOfCounter } from '@attestry/core/model/compositeId.ts'
import type { Hex } from '@attestry/core/model/hex.ts'
import { eventPosition } from '@attestry/core/model/position.ts'
import { AttestryError } from './attestryError.ts'
import type { BehindChain } from './behind.ts'
import { createClient } from './createClient.ts'
import { readDecoded } from './decodedValues.ts'
import { readServerSentEvents } from './serverSentEvents.ts'
import { serveAnswers, serveIndex, type ServedIndex } from './testing/serveIndex.ts'

const schemaId = 'onchain_evm_11155111_0x1'
const fields = [
  { name: 'level', type: 'uint8' },
  { name: 'country', type: 'string' },
]
const payload = encodeAbiParameters(parseAbiParameters('uint8, string'), [2, 'FR'])
const attestationCount = 250

let index: ServedIndex

beforeAll(async () => {
  index = await serveIndex()
  const schema = sampleSchema(1, { definition: { name: 'KYC', description: '', fields } })
  const attestations = Array.from({ length: attestationCount }, (_, number) =>
    sampleAttestation(number + 1, { data: payload as Hex }),
  )
  await index.apply(
    { kind: 'schemaRegistered', position: schema.position, schema },
    ...attestations.map((attestation) => ({
      kind: 'attestationMade' as const,
      position: attestation.position,
      attestation,
    })),
  )
})

afterAll(() => index.close())

describe('a client of a running service', () => {
  test('answers what a path has in its envelope, typed by the path', async () => {
    const client = createClient({ baseUrl: `${index.baseUrl}/` })
    const schema = await client.get('/scan/schemas/{id}', { id: schemaId })
    expect(schema).toMatchObject({ id: schemaId, name: 'KYC', data: fields })
    expectTypeOf(schema.name).toEqualTypeOf<string>()
    const page = await client.get('/scan/attestations', { schemaId, size: 2, page: 3 })
    expect(page).toMatchObject({ total: attestationCount, page: 3, size: 2 })
    expectTypeOf(page.total).toEqualTypeOf<number>()
    const step = await client.get('/scan/attestations', { schemaId, cursor: '*' })
    expectTypeOf(step.nextCursor).toEqualTypeOf<string | null>()
    // @ts-expect-error A step counts nothing.
    expect(step.total).toBeUndefined()
  })

  test('reports which chains of an answer are behind, for each request and for all', async () => {
    const all: (readonly BehindChain[])[] = []
    const client = createClient({ baseUrl: index.baseUrl, onBehind: (chains) => all.push(chains) })
    const own: (readonly BehindChain[])[] = []
    const onBehind = (chains: readonly BehindChain[]) => void own.push(chains)
    const [chain] = (await client.get('/scan/chains')).rows
    const behind = [{ chainId: '11155111', indexedBlock: chain?.indexedBlock, headBlock: null }]
    const notIndexed = [{ chainId: '77', indexedBlock: null, headBlock: null }]
    const elsewhere = 'onchain_evm_77_0x1'
    await client.get('/scan/schemas/{id}', { id: schemaId }, { onBehind })
    await expect(client.get('/scan/schemas/{id}', { id: elsewhere }, { onBehind })).rejects.toMatchObject({
      status: 404,
      behind: notIndexed,
    })
    await client.post('/scan/holders', { schemaId, addresses: [sampleAddress(1)] }, { onBehind })
    await client.gate({ holds: { schema: elsewhere, attester: 'any' } }, sampleAddress(1), { onBehind })
    expect(own).toEqual([behind, notIndexed, behind, notIndexed])
    await client.get('/scan/chains', {}, { onBehind })
    expect(own).toHaveLength(4)
    await client.get('/scan/attestations', { size: 1 })
    expect(all).toEqual([...own, behind])
  })

  test('filters by decoded fields', async () => {
    const client = createClient({ baseUrl: index.baseUrl })
    const totalOf = async (field: { [name: string]: string | { in?: string[]; gte?: string } }) => {
      const page = await client.get('/scan/attestations', { schemaId, field })
      return 'total' in page ? page.total : null
    }
    expect(await totalOf({ country: 'FR', level: { gte: '2' } })).toBe(attestationCount)
    expect(await totalOf({ country: { in: ['DE', 'F,R'] } })).toBe(0)
    expect(await totalOf({ country: { in: ['DE', 'FR'] } })).toBe(attestationCount)
    await expect(totalOf({ 'a\\.b': 'x' })).rejects.toThrow('field[a\\.b] is no field of the schema')
  })

  test('works under a base that ends in /api', async () => {
    const client = createClient({ baseUrl: new URL('/api', index.baseUrl) })
    expect((await client.get('/scan/chains')).rows).toHaveLength(1)
  })

  test('has the sentence of the server in its errors', async () => {
    const client = createClient({ baseUrl: index.baseUrl })
    const wrong = client.get('/scan/schemas/{id}', { id: 'KYC' })
    await expect(wrong).rejects.toThrow(AttestryError)
    await expect(wrong).rejects.toMatchObject({ status: 400, message: expect.stringContaining('composite') })
    await expect(client.graphql('{ nothing }')).rejects.toThrow(/nothing/)
  })

  test('finds null for a record that is not indexed', async () => {
    const client = createClient({ baseUrl: index.baseUrl })
    expect(await client.find('/scan/schemas/{id}', { id: 'onchain_evm_11155111_0xff' })).toBeNull()
    expect(await client.find('/scan/schemas/{id}', { id: schemaId })).toMatchObject({ id: schemaId })
  })

  test('lists every row of a listing once, newest first, over many cursors', async () => {
    const client = createClient({ baseUrl: index.baseUrl })
    const ids: string[] = []
    for await (const row of client.list('/scan/attestations', { schemaId })) ids.push(row.attestationId)
    const expected = Array.from({ length: attestationCount }, (_, number) =>
      localIdOfCounter(BigInt(attestationCount - number)),
    )
    expect(ids).toEqual(expected)
  })

  test('exports a whole listing, oldest first', async () => {
    const client = createClient({ baseUrl: index.baseUrl })
    const ids: unknown[] = []
    for await (const row of client.export('/scan/export/attestations.ndjson', { schemaId })) {
      ids.push(row.attestationId)
    }
    expect(ids).toHaveLength(attestationCount)
    expect(ids[0]).toBe('0x1')
  })

  test('reads decoded values with the types of a schema', async () => {
    const client = createClient({ baseUrl: index.baseUrl })
    const attestation = await client.get('/scan/attestations/{id}', {
      id: 'onchain_evm_11155111_0x7',
      include: 'decoded',
    })
    const values = readDecoded(attestation, 'uint8 level, string country')
    expect(values).toEqual({ level: 2n, country: 'FR' })
    expectTypeOf(values).toEqualTypeOf<{ readonly level: bigint; readonly country: string }>()
    expect(() => readDecoded(attestation, 'uint16 level, string country')).toThrow(
      'The payload holds "uint8 level, string country", and "uint16 level, string country" was asked for.',
    )
  })

  test('answers GraphQL', async () => {
    const client = createClient({ baseUrl: index.baseUrl })
    const query = 'query ($id: String!) { schema(id: $id) { attestationCount } }'
    expect(await client.graphql(query, { id: schemaId })).toEqual({
      schema: { attestationCount },
    })
  })

  test('asks about many records at once, typed by the path', async () => {
    const client = createClient({ baseUrl: index.baseUrl })
    const ids = ['onchain_evm_11155111_0x7', 'onchain_evm_11155111_0xfff']
    const { rows, chains } = await client.post('/scan/attestations/status', { ids })
    expect(rows).toEqual([
      { id: ids[0], status: 'valid' },
      { id: ids[1], status: 'unknown' },
    ])
    expect(chains).toHaveLength(1)
    expectTypeOf(rows[0]?.status).toEqualTypeOf<'valid' | 'revoked' | 'expired' | 'unknown' | undefined>()
    const addresses = [sampleAddress(3), sampleAddress(99)]
    const link = 'https://easscan.org/offchain/url/#attestation=eNo'
    for (const input of [link, { url: link }, JSON.stringify({ url: link }), 'hello']) {
      const verified = await client.verifyOffchain(input)
      expect(verified).toMatchObject({ valid: false, checks: expect.arrayContaining([]) })
      expectTypeOf(verified.checks[0]?.message).toEqualTypeOf<string | undefined>()
    }
    const held = await client.post('/scan/holders', { addresses, schemaId })
    expect(held.rows.map(({ attestation }) => attestation)).toEqual(['onchain_evm_11155111_0xfa', null])
    await expect(client.post('/scan/holders', { addresses: ['x'], schemaId })).rejects.toThrow('addresses[0]')
  })

  test('waits for a record that is not indexed yet', async () => {
    const client = createClient({ baseUrl: index.baseUrl })
    const attestation = sampleAttestation(900, { position: eventPosition(3_000, 0) })
    const asked = client.wait('/scan/attestations/{id}', { id: 'onchain_evm_11155111_0x384' })
    await index.apply({ kind: 'attestationMade', position: attestation.position, attestation })
    expect(await asked).toMatchObject({ attestationId: '0x384' })
    await expect(
      client.wait('/scan/attestations/{id}', { id: 'onchain_evm_11155111_0xfff' }, { durationMs: 1 }),
    ).rejects.toMatchObject({ status: 404 })
  })

  test('streams changes after a place, and those that happen later', async () => {
    const client = createClient({ baseUrl: index.baseUrl })
    const attester = sampleAddress(9)
    const make = async (number: number) => {
      const position = eventPosition(number, 0)
      const attestation = sampleAttestation(number, { position, attester })
      await index.apply({ kind: 'attestationMade', position, attestation })
    }
    const changes = client.changes({ attester, lastEventId: await placeOfNow() })
    await make(5_000)
    const first = (await changes.next()).value
    expect(first).toMatchObject({ type: 'attestation', data: { attestationId: '0x1388', revoked: false } })
    const next = changes.next()
    await make(5_001)
    expect((await next).value).toMatchObject({ type: 'attestation', data: { attestationId: '0x1389' } })
    await index.revert(5_000)
    expect((await changes.next()).value).toMatchObject({
      type: 'revert',
      data: { record: 'attestation', id: 'onchain_evm_11155111_0x1389' },
    })
    await changes.return()
  })

  test('streams anchors, and their reverts', async () => {
    const client = createClient({ baseUrl: index.baseUrl })
    const anchor = sampleAnchor(sampleAddress(8), eventPosition(6_000, 0))
    const changes = client.changes({ attester: sampleAddress(8), lastEventId: await placeOfNow() })
    await index.apply(anchor)
    const row = { type: 'RevokedOffchain', value: anchor.value, chainId: '11155111', blockNumber: 6_000 }
    expect((await changes.next()).value).toMatchObject({ type: 'anchor', data: row })
    await index.revert(5_999)
    expect((await changes.next()).value).toMatchObject({
      type: 'revert',
      data: { record: 'anchor', ...row },
    })
    await changes.return()
  })

  test('reads changes after a cursor by pages, up to the newest', async () => {
    const client = createClient({ baseUrl: index.baseUrl })
    const [start, ...none] = await Array.fromAsync(client.changesSince(undefined))
    expect([start?.rows, none]).toEqual([[], []])
    expect(await Array.fromAsync(client.changesSince(start?.next))).toEqual([])
    await index.apply(sampleAnchor(sampleAddress(8), eventPosition(7_000, 0)))
    const pages = await Array.fromAsync(client.changesSince(start?.next, { size: 1 }))
    expect(pages.flatMap(({ rows }) => rows.map(({ type }) => type))).toEqual(['anchor'])
    expect(await Array.fromAsync(client.changesSince(pages.at(-1)?.next))).toEqual([])
    const [reset, ...after] = await Array.fromAsync(client.changesSince('1-1'))
    expect([reset?.reset, after]).toEqual([true, []])
  })
})

describe('a client of a server that fails', () => {
  test('repeats a request as Retry-After says, and gives up after its retries', async () => {
    const busy = await serveAnswers((_, response, count) => {
      if (count < 3) response.writeHead(503, { 'retry-after': '0' }).end('{"message":"busy"}')
      else response.writeHead(200, { 'content-type': 'application/json' }).end('{"data":{"rows":[]}}')
    })
    try {
      expect(await createClient({ baseUrl: busy.baseUrl }).get('/scan/chains')).toEqual({ rows: [] })
      expect(busy.count()).toBe(3)
    } finally {
      await busy.close()
    }
    const gone = createClient({ baseUrl: busy.baseUrl, retries: 1 }).get('/scan/chains')
    await expect(gone).rejects.toMatchObject({
      status: 0,
      message: `${busy.baseUrl} cannot be reached: nothing accepts connections there (ECONNREFUSED).`,
    })
  })

  test.each<readonly [status: number, type: string, body: string, message: RegExp]>([
    [
      404,
      'application/json',
      '{"message":"There is nothing at \'/scan/x\'; …"}',
      /^There is nothing at '\/scan\/x'/,
    ],
    [
      404,
      'text/html',
      '<h1>Not Found</h1>',
      /status 404 and a web page, not as an Attestry service does: baseUrl may/,
    ],
    [
      404,
      'application/json',
      '{}',
      /status 404 and application\/json, not as an Attestry service does: baseUrl may/,
    ],
    [
      403,
      'text/html',
      '<h1>No</h1>',
      /status 403 and a web page, .*: a proxy in front of it may want credentials\.$/,
    ],
    [200, 'text/html', '<h1>Log in</h1>', /status 200 and a web page, .*: baseUrl may be another site/],
    [
      200,
      'application/json',
      '{"ok":true}',
      /status 200 and application\/json, not as an Attestry service does/,
    ],
  ])('says what a wrong path or another site answers: %i, %s', async (status, type, body, message) => {
    const other = await serveAnswers((_, response) => {
      response.writeHead(status, { 'content-type': type }).end(body)
    })
    try {
      const client = createClient({ baseUrl: `${other.baseUrl}/secret`, retries: 0 })
      const id = { id: 'onchain_evm_1_0x1' }
      for (const asked of [
        client.wait('/scan/schemas/{id}', id),
        client.find('/scan/schemas/{id}', id),
        client.get('/scan/chains'),
      ]) {
        const error: unknown = await asked.catch((thrown: unknown) => thrown)
        expect(error).toMatchObject({ status, message: expect.stringMatching(message) as unknown })
        expect(String(error)).not.toContain('secret')
      }
      expect(other.count()).toBe(3)
    } finally {
      await other.close()
    }
  })

  test('names a mistake of the caller, and why a host cannot be reached', async () => {
    const client = createClient({ baseUrl: 'http://nowhere.invalid', retries: 0 })
    const wait = client.wait as (path: string, parameters: object) => Promise<unknown>
    await expect(wait('/scan/nothing/{id}', {})).rejects.toThrow('/scan/nothing/{id} needs a value for {id}.')
    await expect(client.get('/scan/chains')).rejects.toThrow(
      /^http:\/\/nowhere\.invalid cannot be reached: its name/,
    )
    const relative = createClient({ baseUrl: '/api', retries: 0 }).get('/scan/chains')
    await expect(relative).rejects.toThrow('The server cannot be reached: baseUrl is no absolute URL')
  })

  test('repeats no request that the server refuses', async () => {
    const refusing = await serveAnswers((_, response) => {
      response.writeHead(400).end('{"message":"size must be a whole number."}')
    })
    try {
      const refused = createClient({ baseUrl: refusing.baseUrl }).get('/scan/schemas', { size: 0 })
      await expect(refused).rejects.toThrow('size must be a whole number.')
      expect(refusing.count()).toBe(1)
    } finally {
      await refusing.close()
    }
  })

  test('says that an answer took too long, and ends at once where the caller ends it', async () => {
    const silent = await serveAnswers(() => undefined)
    try {
      const client = createClient({ baseUrl: silent.baseUrl, timeoutMs: 20, retries: 0 })
      await expect(client.get('/scan/chains')).rejects.toThrow('gave no answer within 20 ms')
      const patient = createClient({ baseUrl: silent.baseUrl })
      const signal = AbortSignal.abort(new Error('no longer wanted'))
      await expect(patient.get('/scan/chains', {}, { signal })).rejects.toThrow('no longer wanted')
    } finally {
      await silent.close()
    }
  })

  test('reopens a stream of changes after the last event', async () => {
    const asked: string[] = []
    const breaking = await serveAnswers((request, response, count) => {
      asked.push(request.url ?? '')
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.end(`retry: 1\nid: ${count}-0\n\nevent: reset\nid: ${count}-1\ndata: {}\n\n`)
    })
    try {
      const changes = createClient({ baseUrl: breaking.baseUrl }).changes()
      expect((await changes.next()).value).toEqual({ type: 'reset', id: '1-1', data: {} })
      expect((await changes.next()).value).toEqual({ type: 'reset', id: '2-1', data: {} })
      await changes.return()
      expect(asked).toEqual(['/scan/events', '/scan/events?lastEventId=1-1'])
    } finally {
      await breaking.close()
    }
  })

  test('says that an export broke off', async () => {
    const breaking = await serveAnswers((_, response) => {
      response.writeHead(200, { 'content-type': 'application/x-ndjson' })
      response.write('{"attestationId":"0x1"}\n{"attest', () => response.destroy())
    })
    try {
      const client = createClient({ baseUrl: breaking.baseUrl })
      const rows = client.export('/scan/export/attestations.ndjson')
      expect((await rows.next()).value).toEqual({ attestationId: '0x1' })
      await expect(rows.next()).rejects.toThrow('The export broke off before its end.')
    } finally {
      await breaking.close()
    }
  })
})

/** The place after all changes so far, as the stream reports it when it opens. */
async function placeOfNow(): Promise<string> {
  const response = await fetch(`${index.baseUrl}/scan/events`)
  for await (const { id } of readServerSentEvents(response)) if (id !== null) return id
  throw new Error('the stream told no place')
}
