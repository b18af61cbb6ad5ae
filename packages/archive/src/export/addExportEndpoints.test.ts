import { serveExports } from './serveExports.ts'
import { get, type IncomingMessage } from 'node:http'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import type { FastifyInstance } from 'fastify'
import { parquetReadObjects } from 'hyparquet'
import { encodeAbiParameters, parseAbiParameters } from 'viem'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { StoreUnavailableError } from '@attestry/core/errors/storeErrors.ts'
import type { Hex } from '@attestry/core/model/hex.ts'
import { decodeAttestedPayload } from '@attestry/core/protocols/decodeAttestedPayload.ts'
import { localIdOfCounter } from '@attestry/core/model/compositeId.ts'
import { unixSeconds } from '@attestry/core/model/time.ts'
import type { Attestation } from '@attestry/core/model/records.ts'
import type { IndexReader } from '@attestry/core/index/indexReader.ts'
import { createServer } from '@attestry/server/testing/createServer.ts'
import type { ExportLimits } from './exportPlaces.ts'
import { openTestIndex, type TestIndex } from '@attestry/server/pipeline/testing/testIndex.ts'
import { createSampleIndex } from '@attestry/server/pipeline/testing/sampleIndex.ts'
import {
  sampleAddress,
  sampleAttestation,
  sampleChainId,
  sampleSchema,
} from '@attestry/server/pipeline/testing/sampleRecords.ts'
import { listenLocally } from '@attestry/server/pipeline/testing/sendRaw.ts'

let index: TestIndex
let reader: IndexReader
let app: FastifyInstance
let beforeSlice: () => void

/** One client without a key gets two of so many places. */
const placesForTwo = 11

beforeEach(() => {
  index = createSampleIndex()
  beforeSlice = () => undefined
  const all = openTestIndex(index)
  reader = {
    ...all,
    sliceAttestations: (...parameters) => {
      beforeSlice()
      return all.sliceAttestations(...parameters)
    },
  }
  app = serve({ exportsMax: placesForTwo })
})
afterEach(() => app.close())

describe('an export', () => {
  test('holds every attestation, oldest first, as NDJSON', async () => {
    const { headers, body } = await app.inject('/scan/export/attestations.ndjson')
    expect(headers).toMatchObject({
      'content-type': 'application/x-ndjson; charset=utf-8',
      'content-disposition': 'attachment; filename="attestations.ndjson"',
      'cache-control': 'no-store',
      'access-control-allow-origin': '*',
    })
    const rows = linesOf(body)
    const ids = index.attestations.map(({ key }) => `onchain_evm_${key.chainId}_${key.localId}`)
    expect(rows.map(({ id }) => id)).toEqual(ids)
    expect(rows[2]).toMatchObject({
      revoked: true,
      revokeReason: 'a "reason"',
      protocol: 'sign',
      schema: { schemaId: '0x2' },
    })
  })

  test('holds every schema, as CSV with a line of names', async () => {
    const { headers, body } = await app.inject('/api/scan/export/schemas.csv')
    expect(headers['content-type']).toBe('text/csv; charset=utf-8; header=present')
    const lines = body.split('\r\n')
    expect(lines[0]).toMatch(/^id,chainId,protocol,schemaId,name,/)
    expect(lines).toHaveLength(index.schemas.length + 2)
    expect(lines.at(-1)).toBe('')
    expect(body).toContain('"The ""12""th"')
  })

  test('cannot carry a formula into a spreadsheet', async () => {
    index.attestations = [sampleAttestation(1, { indexingValue: '=cmd|x', recipients: [] })]
    const { body } = await app.inject('/scan/export/attestations.csv')
    expect(body).toContain(",'=cmd|x,")
  })

  test('has a column for each field of a schema as CSV, in no clash with the members of the record', async () => {
    decodedIndex()
    const { body } = await app.inject(`/scan/export/attestations.csv?include=decoded&schemaId=${schemaId}`)
    const lines = body.split('\r\n')
    expect(lines[0]).toMatch(/,lastSyncAt,decodedDataError,score,ID_2,'=field,place,field5$/)
    expect(lines[1]).toMatch(
      /,,-7,'=1\+1,340282366920938463463374607431768211456,"\{""city"":""Kyiv"",""zone"":""-2""\}","\[""a"",""b""\]"$/,
    )
    expect(lines[2]).toMatch(/,(?:"[^"]+"|[^,"]+),,,,,$/)
    expect(lines.slice(3)).toEqual([''])
    const all = (await app.inject('/scan/export/attestations.csv?include=decoded')).body.split('\r\n')
    expect(all[0]).toMatch(/,decodedDataError,decodedData$/)
    expect(all[1]).toMatch(/,"\{""score"":""-7"",""ID"":""=1\+1"",/)
    const unknown = await app.inject(
      `/scan/export/attestations.csv?include=decoded&schemaId=${schemaId.replace('0x9', '0x99')}`,
    )
    expect(unknown.body.split('\r\n')).toEqual([all[0], ''])
  })

  test('has the decoded payload in each line of NDJSON where asked for', async () => {
    decodedIndex()
    const { body } = await app.inject('/scan/export/attestations.ndjson?include=decoded')
    expect(linesOf(body)).toMatchObject([
      {
        decodedData: expect.arrayContaining([{ name: 'score', type: 'int8', value: '-7' }]) as unknown,
        decodedDataError: null,
      },
      { decodedData: null, decodedDataError: expect.stringMatching(/./) as unknown },
    ])
    const refused = await app.inject('/scan/export/attestations.csv?include=protocol')
    expect(refused.statusCode).toBe(400)
  })

  test('is a Parquet file with a column of its own type for each field', async () => {
    decodedIndex()
    const { headers, rawPayload } = await app.inject({
      url: `/scan/export/attestations.parquet?schemaId=${schemaId}`,
      headers: { 'accept-encoding': 'br' },
    })
    expect(headers).toMatchObject({
      'content-type': 'application/vnd.apache.parquet',
      'content-disposition': 'attachment; filename="attestations.parquet"',
    })
    expect(headers).not.toHaveProperty('content-encoding')
    const rows = await parquetReadObjects({ file: bufferOf(rawPayload) })
    expect(rows).toMatchObject([
      { schema_id: schemaId, score: -7, ID_2: '=1+1', place: { city: 'Kyiv' }, field5: ['a', 'b'] },
      { score: null, decode_error: expect.stringMatching(/./) as unknown },
    ])
    index.attestations = manyAttestations(2_500)
    const many = await app.inject('/scan/export/attestations.parquet')
    const all = await parquetReadObjects({ file: bufferOf(many.rawPayload) })
    expect(new Set(all.map(({ id }) => id as unknown)).size).toBe(2_500)
    const none = await app.inject('/scan/export/attestations.parquet?chainId=99')
    expect(await parquetReadObjects({ file: bufferOf(none.rawPayload) })).toEqual([])
  })

  test('leaves the fields of a payload that is kept elsewhere empty', async () => {
    const fields = [{ name: 'level', type: 'uint64' }]
    index.schemas = [sampleSchema(9, { definition: { name: 'All', description: '', fields } })]
    const schemaLocalId = localIdOfCounter(9n)
    const pointer = encodeAbiParameters([{ type: 'string' }], ['QmPointer']) as Hex
    index.attestations = [
      sampleAttestation(1, { schemaLocalId, dataLocation: 'IPFS', data: pointer }),
      sampleAttestation(2, {
        schemaLocalId,
        data: encodeAbiParameters([{ type: 'uint64' }], [3n]) as Hex,
      }),
    ]
    const parquet = await app.inject(`/scan/export/attestations.parquet?schemaId=${schemaId}`)
    const rows = await parquetReadObjects({ file: bufferOf(parquet.rawPayload) })
    expect(rows).toMatchObject([
      { level: null, data_location: 'IPFS' },
      { level: 3n, data_location: 'ONCHAIN' },
    ])
    const { body } = await app.inject(`/scan/export/attestations.csv?include=decoded&schemaId=${schemaId}`)
    expect(body.split('\r\n').slice(1, 3)).toEqual([
      expect.stringMatching(/,,$/),
      expect.stringMatching(/,,3$/),
    ])
  })

  test.each([
    ['schemaId=onchain_evm_11155111_0x2', ['0x3']],
    [`attester=${sampleAddress(77)}`, []],
    ['chainId=99', []],
    ['chainId=007', []],
    ['schemaId=offchain_evm_1_x', []],
    ['recipient=did:key:%22z%22', ['0x3']],
    ['revoked=true', ['0x3', '0x4']],
  ])('takes the filters of the listing: %s', async (query, expected) => {
    const ndjson = await app.inject(`/scan/export/attestations.ndjson?${query}`)
    expect(linesOf(ndjson.body).map(({ attestationId }) => attestationId)).toEqual(expected)
    const csv = await app.inject(`/scan/export/attestations.csv?${query}`)
    expect(csv.body.split('\r\n')).toHaveLength(expected.length + 2)
  })

  test('refuses filters that are malformed', async () => {
    for (const query of [
      'attestations.csv?chainId=x',
      'attestations.csv?keyword=x',
      'schemas.ndjson?keyword=x',
    ]) {
      expect((await app.inject(`/scan/export/${query}`)).statusCode).toBe(400)
    }
    expect((await app.inject('/scan/export/schemas.csv?keyword=%20')).statusCode).toBe(200)
  })

  test('has every row exactly once while the index changes', async () => {
    index.attestations = manyAttestations(1_500)
    let slices = 0
    beforeSlice = () => {
      // Old ones come and go, new ones come at the end.
      slices++
      index.attestations = [
        ...index.attestations.filter(({ attestTimestamp }) => attestTimestamp % 97 !== slices),
        ...(slices < 5
          ? [
              sampleAttestation(5_000 + slices),
              sampleAttestation(3_000 + slices, { attestTimestamp: unixSeconds(1_600_000_000) }),
            ]
          : []),
      ]
    }
    const ids = linesOf((await app.inject('/scan/export/attestations.ndjson')).body).map(({ id }) => id)
    expect(slices).toBeGreaterThan(5)
    expect(new Set(ids).size).toBe(ids.length)
    const told = new Set(ids)
    const untouched = index.attestations.filter(({ key }) => parseInt(key.localId, 16) < 2_000)
    expect(untouched.filter(({ key }) => !told.has(`onchain_evm_${key.chainId}_${key.localId}`))).toEqual([])
  })

  test('is compressed as the client likes it', async () => {
    const url = '/scan/export/attestations.csv'
    const plain = (await app.inject(url)).body
    const gzip = await app.inject({ url, headers: { 'accept-encoding': 'gzip' } })
    expect(gunzipSync(gzip.rawPayload).toString()).toBe(plain)
    const brotli = await app.inject({ url, headers: { 'accept-encoding': 'br' } })
    expect(brotliDecompressSync(brotli.rawPayload).toString()).toBe(plain)
  })

  test('fails with the status of the error if nothing can be read', async () => {
    index.failure = new StoreUnavailableError('away')
    const response = await app.inject('/scan/export/attestations.csv')
    expect(response.statusCode).toBe(503)
    expect(response.json()).toMatchObject({ success: false })
  })

  test('breaks off where the index cannot be read to its end, so that no part is taken for the whole', async () => {
    index.attestations = manyAttestations(600)
    let slices = 0
    beforeSlice = () => {
      if (++slices === 2) index.failure = new StoreUnavailableError('away')
    }
    const port = await listenLocally(app)
    const read = async () =>
      await (await fetch(`http://127.0.0.1:${port}/scan/export/attestations.csv`)).text()
    await expect(read()).rejects.toThrow(TypeError)
  })

  test('reads no further than its client does, and ends with it', async () => {
    index.attestations = moreThanBuffered()
    let slices = 0
    beforeSlice = () => void slices++
    // No export stalls: a place is free only where a client has left.
    const { url, hasPlace } = await listen({ exportsMax: placesForTwo, stallMs: 3_600_000 })
    const left = [await open(url), await open(url)]
    expect(await hasPlace()).toBe(false)
    for (const response of left) response.destroy()
    await vi.waitUntil(hasPlace, { timeout: 60_000, interval: 20 })
    expect(slices).toBeLessThan(400)
  })

  test('is cut off where its client stalls', async () => {
    index.attestations = moreThanBuffered()
    const { url, hasPlace } = await listen({ exportsMax: 2, stallMs: 50 })
    const stalled = await open(url)
    // The only place is free where the service has cut this export off: before that, nothing of it is read.
    await vi.waitUntil(hasPlace, { timeout: 60_000, interval: 20 })
    expect(await endOf(stalled)).toBe('broken')
  })

  test('leaves places to other clients, however many exports one starts', async () => {
    const exportLimits = { exportsMax: 4, stallMs: 3_600_000 }
    const server = createServer({ reader, wings: [serveExports(exportLimits)] })
    index.attestations = moreThanBuffered()
    const url = '/scan/export/attestations.ndjson'
    const origin = `http://127.0.0.1:${await listenLocally(server)}`
    const held = await open(origin + url)
    expect((await fetch(origin + url)).status).toBe(503)
    const other = await server.inject({ method: 'HEAD', url, remoteAddress: '192.0.2.1' })
    expect(other.statusCode).toBe(200)
    held.destroy()
    await server.close()
  })

  test('is cut off where its client reads too slowly to end', async () => {
    const exportLimits = { exportsMax: 2, stallMs: 200, leastRate: 1e12 }
    const greedy = createServer({ reader, wings: [serveExports(exportLimits)] })
    index.attestations = moreThanBuffered()
    const port = await listenLocally(greedy)
    const slow = await open(`http://127.0.0.1:${port}/scan/export/attestations.ndjson`)
    // Reads a piece whenever the connection has one, and never stalls.
    slow.on('data', () => {
      slow.pause()
      setTimeout(() => slow.resume(), 20)
    })
    await new Promise((resolve) => slow.on('error', resolve).on('close', resolve))
    expect(slow.complete).toBe(false)
    await greedy.close()
  })

  test('waits for its turn where too many run', async () => {
    const port = await listenLocally(app)
    const { promise, resolve } = Promise.withResolvers<undefined>()
    const slice = reader.sliceAttestations
    reader.sliceAttestations = async (...parameters) => {
      await promise
      return await slice(...parameters)
    }
    const running = [1, 2].map(() => fetch(`http://127.0.0.1:${port}/scan/export/attestations.csv`))
    await vi.waitUntil(
      async () => {
        const refused = await fetch(`http://127.0.0.1:${port}/scan/export/schemas.csv`)
        return refused.status === 503 && refused.headers.get('retry-after') !== null
      },
      { timeout: 60_000 },
    )
    resolve(undefined)
    for (const response of await Promise.all(running))
      expect((await response.text()).length).toBeGreaterThan(100)
  })
})

function serve(exportLimits: Partial<ExportLimits>): FastifyInstance {
  return createServer({ reader, wings: [serveExports(exportLimits)], decodePayload: decodeAttestedPayload })
}

/** A server with these limits: an export of it, and whether it has a place for another one. */
async function listen(exportLimits: Partial<ExportLimits>) {
  await app.close()
  app = serve(exportLimits)
  const url = `http://127.0.0.1:${await listenLocally(app)}/scan/export/attestations.ndjson`
  const hasPlace = async () => (await fetch(url, { method: 'HEAD' })).status === 200
  return { url, hasPlace }
}

const schemaId = `onchain_evm_${sampleChainId}_0x9`

/** A schema with fields of all kinds, an attestation under it, and one whose payload does not decode. */
function decodedIndex(): void {
  const fields = [
    { name: 'score', type: 'int8' },
    { name: 'ID', type: 'string' },
    { name: '=field', type: 'uint256' },
    { name: 'place', type: '(string city,int8 zone)' },
    { name: '', type: 'string[]' },
  ]
  index.schemas = [sampleSchema(9, { definition: { name: 'All', description: '', fields } })]
  const schemaLocalId = localIdOfCounter(9n)
  const data = encodeAbiParameters(
    parseAbiParameters('int8,string,uint256,(string city,int8 zone),string[]'),
    [-7, '=1+1', 2n ** 128n, { city: 'Kyiv', zone: -2 }, ['a', 'b']],
  ) as Hex
  index.attestations = [
    sampleAttestation(1, { schemaLocalId, data }),
    sampleAttestation(2, { schemaLocalId, data: '0x01' as Hex }),
  ]
}

function bufferOf({ buffer, byteOffset, byteLength }: Buffer): ArrayBuffer {
  return buffer.slice(byteOffset, byteOffset + byteLength) as ArrayBuffer
}

/** More bytes than a connection buffers. */
function moreThanBuffered(): Attestation[] {
  const indexingValue = 'x'.repeat(4_000)
  return manyAttestations(8_000).map((each) => ({ ...each, indexingValue }))
}

function linesOf(body: string): Record<string, unknown>[] {
  return body
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Record<string, unknown>)
}

function manyAttestations(count: number): Attestation[] {
  return Array.from({ length: count }, (_, number) => {
    const key = { chainId: sampleChainId, localId: localIdOfCounter(BigInt(number)) }
    return sampleAttestation(number, { key })
  })
}

async function open(url: string): Promise<IncomingMessage> {
  return await new Promise((resolve, reject) => {
    get(url, { agent: false }, resolve).on('error', reject)
  })
}

async function endOf(response: IncomingMessage): Promise<'whole' | 'broken'> {
  return await new Promise((resolve) => {
    response.on('end', () => resolve(response.complete ? 'whole' : 'broken'))
    response.on('error', () => resolve('broken'))
    response.on('close', () => resolve('broken'))
    response.resume()
  })
}
