import { serveEas } from '@attestry/subgraphs/eas/serveEas.ts'
import { once } from 'node:events'
import type { FastifyInstance } from 'fastify'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { hashKey, newKey } from '@attestry/server/pipeline/access/apiKeys.ts'
import { openAccess } from '@attestry/host/config/accessRules.ts'
import { createServer } from '@attestry/server/testing/createServer.ts'
import type { OffchainStorageOptions } from '../../offchain/offchainStorage.ts'
import { decodeAttestedPayload } from '@attestry/core/protocols/decodeAttestedPayload.ts'
import { content, signer, signWithSdk, stranger } from '../../statements/testing/sdkVectors.ts'
import { createOffchainSignClient, signAccount } from '@attestry/test/sdks/offchainSignClient.ts'
import type { BesideDatabase, BesideLayout } from '@attestry/store/beside/besideDatabase.ts'
import type { Address } from '@attestry/core/model/hex.ts'
import { everyOffchain, type OffchainStore } from '../../offchainStore/offchainStore.ts'
import { offchainLayout } from '../../offchainStore/offchainDatabase.ts'
import { openOffchainStore } from '../../offchainStore/openOffchainStore.ts'
import { createOffchainVerifier } from '../createOffchainVerifier.ts'
import { archiveTexts } from '../../offchainStore/contentArchive.ts'
import { exportOffchain, importOffchain } from '../transferOffchain.ts'
import { chainId, now, openAnchoredIndex, uidOf } from './anchoredIndex.ts'

const key = newKey()
const keys = [
  { name: 'labels', hash: hashKey(key) },
  { name: 'reader', hash: hashKey('other') },
]

interface Row {
  readonly id: string
  readonly mode: string
  readonly attestTimestamp: string
  readonly [member: string]: unknown
}

/** The tests of a server with a store of off-chain attestations, for either database. */
export function describeOffchainStore(
  name: string,
  create: () => Promise<{
    readonly open: (layout?: BesideLayout) => BesideDatabase
    readonly remove: () => Promise<void>
  }>,
): void {
  describe(`the store of off-chain attestations over ${name}`, () => {
    let index: Awaited<ReturnType<typeof openAnchoredIndex>>
    let database: Awaited<ReturnType<typeof create>>
    let store: OffchainStore
    let app: FastifyInstance
    let nowMs: number = now
    beforeAll(async () => {
      index = await openAnchoredIndex()
    })
    afterAll(() => index.close())
    beforeEach(async () => {
      nowMs = now
      database = await create()
      store = openOffchainStore(database.open())
      app = serve()
    })
    afterEach(async () => {
      await app.close()
      await store.close()
      await database.remove()
    })

    function serve(changes: Partial<OffchainStorageOptions> = {}, access = openAccess): FastifyInstance {
      return createServer({
        access,
        reader: index.reader,
        decodePayload: decodeAttestedPayload,
        offchain: createOffchainVerifier([], async () => ({ kind: 'notSigned', at: [] })),
        now: () => nowMs as typeof now,
        wings: [serveEas()],
        keys,
        storage: {
          store,
          writers: new Set(['labels']),
          quota: { key: 100, address: 50, bytes: 2 ** 24 },
          ...changes,
        },
      })
    }

    async function post(path: string, body: unknown, headers: Record<string, string> = { 'x-api-key': key }) {
      const response = await app.inject({
        method: 'POST',
        url: path,
        payload: typeof body === 'string' ? body : JSON.stringify(body),
        headers: { 'content-type': 'application/json', ...headers },
      })
      return {
        status: response.statusCode,
        body: response.json<Record<string, unknown>>(),
        headers: response.headers,
      }
    }

    const hand = (textJson: string) => post('/offchain/store', { filename: 'eas.txt', textJson })

    async function get<Data = Row>(url: string): Promise<{ status: number; data: Data; message: string }> {
      const response = await app.inject(url)
      const { data, message } = response.json<{ data: Data; message: string }>()
      return { status: response.statusCode, data, message }
    }

    async function listed(query: string) {
      const { status, data } = await get<{ total: number; rows: readonly Row[]; nextCursor?: string | null }>(
        `/scan/attestations?${query}`,
      )
      expect(status).toBe(200)
      return data
    }

    test('takes an envelope as easscan does, and answers the identifier that ipfs add gives the text', async () => {
      const { revokedByStranger: envelope } = index
      const uid = uidOf(envelope)
      const first = await hand(envelope)
      expect(first).toMatchObject({
        status: 200,
        body: {
          error: null,
          ipfsHash: expect.stringMatching(/^Qm[1-9A-HJ-NP-Za-km-z]{44}$/),
          offchainAttestationId: uid,
          id: `offchain_evm_${chainId}_${uid}`,
        },
      })
      // Again, and as the envelope itself: the same record.
      expect((await hand(envelope)).body).toEqual(first.body)
      expect((await post('/offchain/store', envelope)).body).toEqual(first.body)
      const { status, data } = await get(
        `/scan/attestations/${String(first.body['id'])}?include=decoded,protocol`,
      )
      expect(status).toBe(200)
      expect(data).toMatchObject({
        mode: 'offchain',
        chainId: String(chainId),
        attestationId: uid,
        schemaId: content.schema,
        attester: signer.address,
        attestTimestamp: '1700000000',
        recipients: [content.recipient],
        linkedAttestation: `onchain_evm_${chainId}_${content.refUID}`,
        validUntil: '1900000000',
        data: content.data,
        revoked: false,
        timestampedAt: 1_700_000_010,
        anchors: [
          { type: 'RevokedOffchain', account: stranger.address },
          { type: 'Timestamped', account: null },
        ],
        ipfsHash: first.body['ipfsHash'],
        envelope,
        decodedData: [{ name: 'level', type: 'uint256', value: '42' }],
        protocol: 'eas',
      })
      const byIds = await get<{ rows: readonly (Row | null)[] }>(
        `/scan/attestations/by-ids?ids=${String(first.body['id'])},onchain_evm_1_0x1`,
      )
      expect(byIds.data.rows).toMatchObject([{ attestationId: uid }, null])
    })

    test.each<[check: string, envelope: () => Promise<string>]>([
      ['format', async () => '{"sig":5}'],
      ['format', async () => 'no JSON'],
      ['uid', async () => change(await signWithSdk(), (sig) => ({ ...sig, uid: `0x${'12'.repeat(32)}` }))],
      ['domain', () => signWithSdk({ contract: `0x${'44'.repeat(20)}` })],
      ['signature', async () => (await signWithSdk()).replace(signer.address, stranger.address)],
      ['schema', () => signWithSdk({ content: { schema: `0x${'01'.repeat(32)}` } })],
      ['payload', () => signWithSdk({ content: { data: '0x2a' } })],
      ['expiry', () => signWithSdk({ content: { expirationTime: 1_700_000_001n } })],
      ['revocation', async () => index.revoked],
      ['schema', () => signWithSdk({ chainId: 1n, contract: '0xA1207F3BBa224E2c9c3c6D5aF63D0eb1582Ce587' })],
    ])('refuses an envelope by the check that failed: %s', async (check, envelope) => {
      const text = await envelope()
      const { status, body } = await hand(text)
      expect(status).toBe(422)
      expect(body['error']).toMatch(new RegExp(`^Not stored, the check ${check} failed: .+\\.$`))
      expect(body).toMatchObject({ ipfsHash: null, offchainAttestationId: null, message: body['error'] })
      expect((await listed('mode=offchain')).total).toBe(0)
    })

    test('refuses a text of more than one block of IPFS, whatever is in it', async () => {
      const { status, body } = await hand(`${' '.repeat(262_144)}${index.revokedByStranger}`)
      expect([status, body['error']]).toEqual([422, expect.stringContaining('longer than 262144 bytes')])
      expect((await post('/offchain/store', ' '.repeat(600_000))).status).toBe(413)
    })

    test('lets the named keys store, in each of the headers, and reads to everybody', async () => {
      const { revokedByStranger: envelope } = index
      expect((await post('/offchain/store', envelope, {})).status).toBe(401)
      const other = await post('/offchain/store', envelope, { 'x-api-key': 'other' })
      expect([other.status, other.body['message']]).toEqual([401, expect.stringContaining('offchain.keys')])
      expect((await post('/offchain/store', envelope, { 'x-sign-api-key': key })).status).toBe(200)
      expect((await listed('mode=offchain')).total).toBe(1)
      await app.close()
      app = serve({ writers: 'anyone' })
      expect((await post('/offchain/store', envelope, {})).status).toBe(200)
    })

    test('shows nothing to a client without a key where the part is private, by any interface', async () => {
      const { body } = await hand(index.revokedByStranger)
      const id = String(body['id'])
      await app.close()
      app = serve({}, { ...openAccess, private: { offchain: ['/scan/offchain', '/offchain', '/sp'] } })
      const ask = async (url: string, headers: Record<string, string>) =>
        (await app.inject({ url, headers })).statusCode
      const urls = [
        '/scan/attestations?mode=offchain',
        '/scan/attestations?mode=offchain&size=1&cursor=*',
        `/scan/attestations/${id}`,
        `/api/scan/attestations/${id}`,
        `/scan/attestations/by-ids?ids=${id}`,
        '/index/attestations?mode=offchain',
        `/index/attestations/${id}`,
        '/offchain/store',
      ]
      for (const url of urls) {
        expect([url, await ask(url, { 'x-api-key': key })]).toEqual([url, 200])
        expect([url, await ask(url, {})]).toEqual([url, 401])
      }
      const unknown = id.replace(/.{4}$/, '0000')
      expect(await ask(`/scan/attestations/${unknown}`, {})).toBe(401)
      expect(await ask('/scan/attestations', {})).toBe(200)
      const query = `{ attestation(id: "${id}") { id } }`
      expect((await post('/graphql', { query })).body['errors']).toBeUndefined()
      expect((await post('/graphql', { query }, {})).body['errors']).toMatchObject([
        { message: expect.stringContaining('x-api-key') },
      ])
      const listing = '{ attestations { isOffchain } aggregateAttestation { _count { _all } } }'
      const easList = async (headers: Record<string, string>) =>
        (await post('/eas/graphql', { query: listing }, headers)).body['data'] as {
          readonly attestations: readonly { readonly isOffchain: boolean }[]
        }
      expect((await easList({ 'x-api-key': key })).attestations.some(({ isOffchain }) => isOffchain)).toBe(
        true,
      )
      const open = await easList({})
      expect(open).toMatchObject({ aggregateAttestation: { _count: { _all: 2 } } })
      expect(open.attestations).toEqual([{ isOffchain: false }, { isOffchain: false }])
    })

    test('leaves each client without a key a share of a day, in statements and in bytes', async () => {
      await app.close()
      const ask = async (remoteAddress: string, level: number) => {
        const textJson = await signWithSdk({
          by: signer,
          content: { data: `0x${level.toString(16).padStart(64, '0')}` },
        })
        const payload = { filename: 'eas.txt', textJson }
        const response = await app.inject({ method: 'POST', url: '/offchain/store', remoteAddress, payload })
        const { message } = response.json<{ message?: string }>()
        const { statusCode: status } = response
        return status === 200 ? { status, length: textJson.length } : { status, message }
      }
      app = serve({ writers: 'anyone', quota: { key: 5, address: 50, bytes: 2 ** 24 } })
      const { length = 0 } = await ask('192.0.2.1', 1)
      const ofStatements =
        'This client has used its share of the 5 statements that may be stored a day (UTC); store the others tomorrow.'
      expect(await ask('192.0.2.1', 2)).toEqual({ status: 429, message: ofStatements })
      expect(await ask('192.0.2.2', 2)).toMatchObject({ status: 200 })
      await app.close()
      nowMs += 86_400_000
      app = serve({ writers: 'anyone', quota: { key: 90, address: 90, bytes: length * 5 } })
      expect(await ask('192.0.2.1', 3)).toMatchObject({ status: 200 })
      const ofBytes = expect.stringMatching(/^This client has used its share of the .* bytes/) as string
      expect(await ask('192.0.2.1', 4)).toEqual({ status: 429, message: ofBytes })
      expect(await ask('192.0.2.2', 4)).toMatchObject({ status: 200 })
    })

    test('holds the quotas of a day, also against stores at once, and tells when to come again', async () => {
      await app.close()
      app = serve({ quota: { key: 3, address: 2, bytes: 2 ** 24 } })
      const salted = (by: typeof signer, level: number) =>
        signWithSdk({ by, content: { data: `0x${level.toString(16).padStart(64, '0')}` } })
      const sent = await Promise.all([1, 2, 3, 4].map(async (level) => hand(await salted(signer, level))))
      expect(sent.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 200, 429, 429])
      const refused = sent.find(({ status }) => status === 429)
      expect(refused?.body['message']).toMatch(
        /^This signer has stored the 2 statements that may be stored a day/,
      )
      expect(Number(refused?.headers['retry-after'])).toBe(57_600)
      expect((await hand(await salted(stranger, 1))).status).toBe(200)
      const overKey = await hand(await salted(stranger, 2))
      expect([overKey.status, overKey.body['message']]).toEqual([429, expect.stringMatching(/^This key has/)])
      nowMs += 86_400_000
      expect((await hand(await salted(stranger, 2))).status).toBe(200)
    })

    test('lists records by mode, filters and cursor, beside those of the chains and never among them', async () => {
      const times = [1_699_999_999, 1_700_000_000, 1_700_000_000, 1_700_000_001]
      for (const [level, time] of times.entries()) {
        const stored = await hand(
          await signWithSdk({
            by: level === 3 ? stranger : signer,
            content: { time: BigInt(time), data: `0x${level.toString(16).padStart(64, '0')}` },
          }),
        )
        expect(stored.status).toBe(200)
      }
      expect((await listed('')).total).toBe(2)
      expect((await listed('mode=onchain')).total).toBe(2)
      const off = await listed('mode=offchain&include=decoded')
      expect(off.total).toBe(4)
      expect(off.rows.map((row) => row['decodedData'])).toMatchObject(
        ['3', '2', '1', '0'].map((value) => [{ value }]),
      )
      const all = await listed('mode=offchain&fields=detail')
      expect(all.rows.map(({ mode, attestTimestamp }) => `${mode} ${attestTimestamp}`)).toEqual([
        ...['offchain 1700000001', 'offchain 1700000000'],
        ...['offchain 1700000000', 'offchain 1699999999'],
      ])
      const ids = all.rows.map(({ id }) => id)
      for (const size of [1, 2, 4]) {
        const paged: string[] = []
        for (let page = 1; page <= Math.ceil(4 / size); page++) {
          paged.push(...(await listed(`mode=offchain&size=${size}&page=${page}`)).rows.map(({ id }) => id))
        }
        expect([size, paged]).toEqual([size, ids])
        const walked: string[] = []
        for (let cursor: string | null = '*'; cursor !== null;) {
          const step: Awaited<ReturnType<typeof listed>> = await listed(
            `mode=offchain&size=${size}&cursor=${cursor}`,
          )
          walked.push(...step.rows.map(({ id }) => id))
          cursor = step.nextCursor ?? null
        }
        expect([size, walked]).toEqual([size, ids])
      }
      const totals: readonly [query: string, total: number][] = [
        [`attester=${stranger.address}`, 1],
        [`recipient=${content.recipient.toLowerCase()}`, 4],
        [`schemaId=onchain_evm_${chainId}_${content.schema}`, 4],
        [`schemaId=onchain_evm_${chainId}_0x1`, 0],
        ['chainId=1', 0],
        ['protocol=eas', 4],
        ['protocol=sign', 0],
        ['expired=true', 0],
        ['expired=false', 4],
        ['attestedFrom=1700000001', 1],
        ['attestedBefore=1700000000', 1],
        [`linkedAttestation=onchain_evm_${chainId}_${content.refUID}`, 4],
      ]
      for (const [query, total] of totals) {
        expect([query, (await listed(`mode=offchain&${query}`)).total]).toEqual([query, total])
      }
      expect((await get('/scan/attestations?mode=offchain&validAt=1')).status).toBe(400)
      expect((await get('/scan/attestations?mode=offchain&keyword=ada')).status).toBe(400)
      expect((await get('/scan/attestations?mode=other')).status).toBe(400)
    })

    test('reads few long statements at a time, and of a page only what is shown', async () => {
      const long = 'x'.repeat(256 * 1024)
      for (let number = 1; number <= 20; number++) {
        await store.add(
          {
            id: `SPA_${number}`,
            kind: 'attestation',
            protocol: 'sign',
            chainId: null,
            contract: null,
            localId: `SPA_${number}`,
            signer: signer.address.toLowerCase() as Address,
            schemaId: 'SPS_1',
            madeAt: 1_700_000_000 + number,
            storedAt: nowMs,
            storedBy: 'labels',
            contentId: '',
            body: {
              recipients: [signer.address],
              indexingValue: '',
              linked: '',
              validUntil: '0',
              revocable: true,
              payload: JSON.stringify({ long }),
              text: long,
            },
            revocation: null,
          },
          null,
        )
      }
      const opened = database.open()
      let ofStatement = 0
      const counted = openOffchainStore({
        ...opened,
        all: async (sql, ...parameters) => {
          const rows = await opened.all<never>(sql, ...parameters)
          ofStatement = Math.max(ofStatement, JSON.stringify(rows).length)
          return rows
        },
      })
      await app.close()
      app = serve({ store: counted })
      const plain = await listed('mode=offchain&size=20&page=1')
      expect(plain.rows.map(({ id }) => id)).toEqual(
        Array.from({ length: 20 }, (_, index) => `SPA_${20 - index}`),
      )
      expect(ofStatement).toBeLessThan(16 * 1024)
      expect((await listed('mode=offchain&size=5&page=3')).rows[0]?.id).toBe('SPA_10')
      const { rows } = await listed('mode=offchain&size=20&include=decoded')
      expect(rows[0]).toMatchObject({ decodedData: [{ name: 'long' }], decodedDataError: null })
      for (const row of rows.slice(1)) {
        expect(row).toMatchObject({ decodedData: null, decodedDataError: expect.stringMatching(/used up/) })
      }
      const request = { filter: everyOffchain, order: 'newestFirst', after: null, limit: 20 } as const
      const { entries, isCut } = await counted.slice(request)
      expect([entries.length, isCut]).toEqual([7, true])
      expect(await counted.slice({ ...request, limit: 5 })).toMatchObject({ isCut: false })
      expect((await Array.fromAsync(counted.list())).map(({ id }) => id)).toEqual(
        Array.from({ length: 20 }, (_, index) => `SPA_${index + 1}`),
      )
      expect(ofStatement).toBeLessThan(768 * 1024)
      const page = await get('/index/attestations?mode=offchain&size=20')
      expect([page.status, page.message]).toEqual([
        400,
        expect.stringMatching(/^size: the rows of this page/),
      ])
      await app.close()
      await counted.close()
    })

    test('lists what an earlier version stored, also texts with U+0000', async () => {
      const { open, remove } = await create()
      const earlier = open({ ...offchainLayout, steps: offchainLayout.steps.slice(0, 2) })
      const body = {
        recipients: ['a"\u0000é'],
        indexingValue: '',
        linked: '',
        validUntil: '18446744073709551615',
        revocable: false,
        payload: '{"a":"\u0000"}',
        text: '\u0000',
      }
      await earlier.transact((statements) =>
        statements.all(
          `INSERT INTO ${earlier.prefix}entry (id, kind, protocol, contract, local_id, signer, made_at, expires_at, ` +
            "stored_at, stored_by, content_id, body_json) VALUES ('SPA_1', 'attestation', 'sign', '', 'SPA_1', ?, " +
            "1, 2, 3, 'labels', '', ?) RETURNING sequence",
          signer.address.toLowerCase(),
          JSON.stringify(body),
        ),
      )
      await earlier.close()
      const opened = openOffchainStore(open())
      const places = await opened.slicePlaces({
        filter: everyOffchain,
        order: 'newestFirst',
        after: null,
        limit: 10,
      })
      const { payload: _payload, text: _text, ...head } = body
      expect([...(await opened.readHeads(places)).values()]).toMatchObject([{ id: 'SPA_1', body: head }])
      await opened.close()
      await remove()
    })

    test('lists what is revoked on chain by its signer, and what is not', async () => {
      // The same words of another signer are another statement, and a stranger revokes nothing.
      const texts = [index.revoked, await signWithSdk({ by: stranger, content: { revocable: false } })]
      const verifier = createOffchainVerifier([], async () => ({ kind: 'notSigned', at: [] }))
      expect((await hand(index.revokedByStranger)).status).toBe(200)
      const [header = '', line = ''] = await Array.fromAsync(exportOffchain(store))
      const lines = texts.map((text) => JSON.stringify({ ...(JSON.parse(line) as object), text }))
      await importOffchain(store, from([header, ...lines]), verifier)
      const signers = async (query: string) => (await listed(query)).rows.map(({ attester }) => attester)
      expect(await signers('mode=offchain&revoked=true')).toEqual([signer.address])
      expect(await signers('mode=offchain&revoked=false')).toHaveLength(2)
      expect(await signers(`mode=offchain&revoked=true&attester=${stranger.address}`)).toEqual([])
      expect((await listed('mode=offchain&revoked=false&expired=false')).total).toBe(2)
      expect((await listed('mode=offchain&revoked=true&size=1&cursor=*')).rows).toHaveLength(1)
    })

    test("is part of easscan's interface: lists, records, counts, by isOffchain", async () => {
      const ask = async (query: string) => {
        const { body } = await post('/eas/graphql', { query })
        expect(body['errors']).toBeUndefined()
        return body['data'] as Record<string, unknown>
      }
      const times = [1_699_999_999n, 1_700_000_000n, 1_700_000_001n]
      for (const time of times)
        expect((await hand(await signWithSdk({ content: { time } }))).status).toBe(200)
      const lists = 'attestations(orderBy: [{ time: desc }]) { isOffchain time }'
      expect(await ask(`{ ${lists} }`)).toEqual({
        attestations: [
          { isOffchain: true, time: 1_700_000_001 },
          { isOffchain: false, time: 1_700_000_000 },
          { isOffchain: false, time: 1_700_000_000 },
          { isOffchain: true, time: 1_700_000_000 },
          { isOffchain: true, time: 1_699_999_999 },
        ],
      })
      const members =
        'id attester recipient refUID data txid ipfsHash revocable revoked revocationTime decodedDataJson'
      const off = await ask(
        `{ attestations(where: { isOffchain: { equals: true } }, take: 1, skip: 1, orderBy: [{ time: asc }]) { ${members} schema { id } } }`,
      )
      const uid = uidOf(index.revokedByStranger)
      expect(off['attestations']).toEqual([
        {
          id: uid,
          attester: signer.address,
          recipient: content.recipient,
          refUID: content.refUID,
          data: content.data,
          txid: '',
          ipfsHash: expect.stringMatching(/^Qm/),
          revocable: true,
          revoked: false,
          revocationTime: 0,
          decodedDataJson: expect.stringContaining('level'),
          schema: { id: content.schema },
        },
      ])
      const one = await ask(`{ attestation(where: { id: "${uid}" }) { isOffchain } }`)
      expect(one).toEqual({ attestation: { isOffchain: true } })
      const count = async (where: string) =>
        (
          (await ask(`{ aggregateAttestation(where: ${where}) { _count { _all } } }`)) as Record<
            string,
            { _count: { _all: number } }
          >
        )['aggregateAttestation']?._count._all
      expect(await count('{ isOffchain: { equals: true } }')).toBe(3)
      expect(await count('{ isOffchain: { equals: false } }')).toBe(2)
      expect(await count('{}')).toBe(5)
      expect(await count(`{ attester: { equals: "${signer.address}" } }`)).toBe(3)
      expect(await count('{ revoked: { equals: false } }')).toBe(5)
      const walked: unknown[] = []
      for (const orderBy of ['asc', 'desc']) {
        let cursor = ''
        for (;;) {
          const at = cursor === '' ? '' : `, cursor: { id: "${cursor}" }, skip: 1`
          const step = await ask(`{ attestations(take: 1, orderBy: [{ time: ${orderBy} }]${at}) { id } }`)
          const [row] = step['attestations'] as readonly { readonly id: string }[]
          if (row === undefined) break
          walked.push(row.id)
          cursor = row.id
        }
      }
      expect(walked).toHaveLength(10)
      expect(walked.slice(5).toReversed()).toEqual(walked.slice(0, 5))
    })

    test('gives /graphql a single attestation of EAS by its id, and none of the past', async () => {
      const id = `offchain_evm_${chainId}_${uidOf(index.revokedByStranger)}`
      const members =
        'id mode chainId attestationId fullSchemaId attester recipients data dataLocation revoked decodedData { name value } schema { fields { name } }'
      const ask = async (more = '') =>
        (await post('/graphql', { query: `{ attestation(id: "${id}"${more}) { ${members} } }` })).body
      expect(await ask()).toEqual({ data: { attestation: null } })
      await hand(index.revokedByStranger)
      expect(await ask()).toEqual({
        data: {
          attestation: {
            id,
            mode: 'offchain',
            chainId: String(chainId),
            attestationId: uidOf(index.revokedByStranger),
            fullSchemaId: `onchain_evm_${chainId}_${content.schema}`,
            attester: signer.address,
            recipients: [content.recipient],
            data: content.data,
            dataLocation: 'OFFCHAIN',
            revoked: false,
            decodedData: [{ name: 'level', value: expect.any(String) }],
            schema: { fields: [{ name: 'level' }] },
          },
        },
      })
      await store.remove(id, 'asked for', nowMs)
      expect(await ask()).toEqual({ data: { attestation: null } })
    })

    test('keeps a tombstone of what the operator deletes, and takes it back from nobody', async () => {
      const { revokedByStranger: envelope } = index
      const { id } = (await hand(envelope)).body
      expect(await store.remove(String(id), 'court order', nowMs)).toBe(1)
      // A revocation that was on its way meanwhile.
      await store.revoke(String(id), { timestamp: now / 1_000, reason: 'late', text: '{}' }, null)
      const beside = database.open()
      const select = `SELECT revocation_json FROM ${beside.prefix}entry WHERE id = ?`
      expect(await beside.all(select, String(id))).toEqual([[null]])
      await beside.close()
      const gone = await get(`/scan/attestations/${String(id)}`)
      expect([gone.status, gone.message]).toEqual([410, expect.stringContaining('was deleted')])
      expect((await listed('mode=offchain')).total).toBe(0)
      expect((await listed(`mode=offchain&recipient=${content.recipient}`)).total).toBe(0)
      expect((await hand(envelope)).status).toBe(410)
      const left = JSON.stringify(await Array.fromAsync(store.list()))
      expect(left).toContain('court order')
      expect(left).not.toContain(content.recipient)
    })

    test('deletes the record of one of two signers of the same words, and the other stands', async () => {
      const content = { data: `0x${'1'.padStart(64, '0')}` } as const
      const own = await signWithSdk({ by: signer, content })
      const copied = await signWithSdk({ by: stranger, content })
      const { body } = await hand(copied)
      const id = String(body['id'])
      expect((await hand(own)).body['id']).toBe(id)
      expect(await store.signersOf(id)).toEqual(
        [signer.address, stranger.address].map((address) => address.toLowerCase()).sort(),
      )
      expect((await get(`/scan/attestations/${id}`)).data['attester']).toBe(stranger.address)
      expect(await store.remove(id, 'a copy', nowMs, stranger.address.toLowerCase() as Address)).toBe(1)
      expect((await get(`/scan/attestations/${id}`)).data['attester']).toBe(signer.address)
      expect(await store.remove(id, 'asked for', nowMs)).toBe(1)
      expect((await get(`/scan/attestations/${id}`)).status).toBe(410)
    })

    test('names all signers of an id, and answers the record of the one that is asked for', async () => {
      const content = { data: `0x${'2'.padStart(64, '0')}` } as const
      const { body } = await hand(await signWithSdk({ by: stranger, content }))
      const id = String(body['id'])
      const path = `/scan/attestations/${id}`
      const attester = async (query: string) => (await get(`${path}${query}`)).data['attester']
      expect((await get(path)).data).not.toHaveProperty('signers')
      const missing = await get(`${path}?signer=${signer.address}`)
      expect([missing.status, missing.message]).toEqual([404, expect.stringContaining(stranger.address)])
      await hand(await signWithSdk({ by: signer, content }))
      const signers = [signer.address, stranger.address].sort((a, b) =>
        a.toLowerCase() < b.toLowerCase() ? -1 : 1,
      )
      expect((await get(path)).data).toMatchObject({ attester: stranger.address, signers })
      expect((await get(`${path}?signer=${signer.address.toLowerCase()}`)).data).toMatchObject({
        attester: signer.address,
        signers,
      })
      expect(await attester(`?signer=${stranger.address}`)).toBe(stranger.address)
      const { rows } = (await get<{ rows: readonly Row[] }>(`/scan/attestations/by-ids?ids=${id}`)).data
      expect(rows).toMatchObject([{ signers }])
      const index = await get(`/index/attestations/${id}?signer=${signer.address}`)
      expect(index.data).toMatchObject({ attester: signer.address, signers })
      const query = async (more: string) =>
        (await post('/graphql', { query: `{ attestation(id: "${id}"${more}) { attester signers } }` }, {}))
          .body
      expect(await query('')).toMatchObject({
        data: { attestation: { attester: stranger.address, signers } },
      })
      const of = `, signer: "${signer.address}"`
      expect(await query(of)).toMatchObject({ data: { attestation: { attester: signer.address, signers } } })
      expect(await query(', signer: "me"')).toMatchObject({
        errors: [{ message: expect.stringMatching(/signer/) }],
      })
      const nobody = await get(`${path}?signer=0x${'12'.repeat(20)}`)
      expect([nobody.status, nobody.message]).toEqual([404, expect.stringContaining(signers.join(', '))])
      const onChain = await get(`/scan/attestations/onchain_evm_${chainId}_0x1?signer=${signer.address}`)
      expect([onChain.status, onChain.message]).toEqual([400, expect.stringMatching(/^signer chooses among/)])
      expect((await get(`${path}?signer=me`)).status).toBe(400)
      expect((await get(`${path}?asOf=2020-01-01T00:00:00Z&signer=${signer.address}`)).status).toBe(400)
      await store.remove(id, 'a copy', nowMs, stranger.address.toLowerCase() as Address)
      expect((await get(`${path}?signer=${stranger.address}`)).status).toBe(410)
      expect((await get(path)).data).not.toHaveProperty('signers')
      expect(await attester('')).toBe(signer.address)
    })

    test('serves the client of Sign Protocol in off-chain mode: writes, reads, revokes', async () => {
      app.server.listen(0, '127.0.0.1')
      await Promise.all([app.ready(), once(app.server, 'listening')])
      const address = app.server.address()
      if (address === null || typeof address === 'string') throw new TypeError('the server listens on a port')
      vi.spyOn(console, 'error').mockReturnValue()
      const client = createOffchainSignClient(`http://127.0.0.1:${address.port}`, key)
      const fields = [
        { name: 'name', type: 'string' },
        { name: 'level', type: 'uint8' },
      ] as const
      const { schemaId } = await client.createSchema({ name: 'Levels', revocable: true, data: [...fields] })
      expect(schemaId).toMatch(/^SPS_/)
      expect(await client.getSchema(schemaId)).toMatchObject({
        name: 'Levels',
        revocable: true,
        data: fields,
      })
      const statement = { schemaId, data: { name: 'Ada', level: 3 }, recipients: ['ada@example.org'] }
      const { attestationId } = await client.createAttestation({ ...statement, indexingValue: 'ada' })
      expect(attestationId).toMatch(/^SPA_/)
      expect(await client.getAttestation(attestationId)).toMatchObject({
        schemaId,
        data: { name: 'Ada', level: 3 },
        recipients: ['ada@example.org'],
        indexingValue: 'ada',
        revoked: false,
      })
      expect(await listed(`mode=offchain&schemaId=${schemaId}&indexingValue=ada`)).toMatchObject({
        total: 1,
        rows: [{ id: attestationId, attester: signAccount.address, chainId: '', schemaId }],
      })
      const found = await get<{ total: number; rows: readonly Row[] }>(
        `/index/attestations?mode=offchain&attester=${signAccount.address}&schemaId=${schemaId}`,
      )
      expect(found.data).toMatchObject({
        total: 1,
        rows: [{ id: attestationId, attestTimestamp: String(now) }],
      })
      expect((await get('/index/schemas?mode=offchain')).data).toMatchObject({
        total: 1,
        rows: [{ id: schemaId }],
      })
      await client.revokeAttestation(attestationId, { reason: 'wrong level' })
      expect((await get(`/scan/attestations/${attestationId}`)).data).toMatchObject({
        revoked: true,
        revokeReason: 'wrong level',
        revokeTimestamp: String(now / 1_000),
        schema: { name: 'Levels', data: fields },
      })
      expect((await client.getAttestation(attestationId)).revoked).toBe(true)
      const strict = await client.createSchema({ name: 'For ever', revocable: false, data: [...fields] })
      const lasting = { ...statement, schemaId: strict.schemaId, indexingValue: '' }
      const { attestationId: kept } = await client.createAttestation(lasting)
      await expect(client.revokeAttestation(kept)).rejects.toThrow(/check revocation failed/)
      await expect(client.revokeAttestation(`SPA_${'0'.repeat(64)}`)).rejects.toThrow(/^No attestation/)
    })

    test('refuses a body of Sign Protocol on the wrong path, without its schema, and changed after signing', async () => {
      const { makeSignBodies } = await import('../../statements/testing/signBodies.ts')
      const { attestation, schema, revocation } = await makeSignBodies()
      const messages = await Promise.all(
        [
          ['/sp/schemas', attestation],
          ['/sp/attestations', attestation],
          ['/sp/attestations', attestation.replaceAll('Ada', 'Eve')],
          ['/offchain/store', schema],
          ['/sp/revoke-attestation', revocation],
        ].map(async ([path = '', body = '']) => {
          const answer = await post(path, body)
          return `${answer.status} ${String(answer.body['message'])}`
        }),
      )
      expect(messages).toEqual([
        expect.stringMatching(/^422 .+ check format failed: this path takes signed schemas/),
        expect.stringMatching(/^422 .+ check schema failed: no schema .SPS_1. is stored here/),
        expect.stringMatching(/^422 .+ check signature failed/),
        expect.stringMatching(/^422 .+ check format failed: this path takes attestations of EAS/),
        expect.stringMatching(/^404 No attestation/),
      ])
    })

    test('is exported and imported whole, with tombstones, and forged lines are left out', async () => {
      const texts = await Promise.all([0, 1].map((version) => signWithSdk({ version: version as 0 | 1 })))
      const ids: string[] = []
      for (const text of texts) ids.push(String((await hand(text)).body['id']))
      const [kept = '', deleted = ''] = ids
      await store.remove(deleted, 'asked for', nowMs)
      const lines = await Array.fromAsync(exportOffchain(store))
      expect(lines).toHaveLength(3)
      const other = await create()
      const target = openOffchainStore(other.open())
      const verifier = createOffchainVerifier([], async () => ({ kind: 'notSigned', at: [] }))
      const forged = (lines[1] ?? '').replaceAll(signer.address, stranger.address)
      const sent = [...lines, forged]
      for (const round of [1, 2]) {
        const done = await importOffchain(target, from(sent), verifier)
        expect([round, done.entries, done.tombstones]).toEqual([round, 1, 1])
        expect(done.refused).toEqual([expect.stringMatching(/^line 4: The signature is that of the key of/)])
      }
      expect(await Array.fromAsync(exportOffchain(target))).toEqual(lines)
      expect(await target.find(kept)).toMatchObject({ id: kept, storedBy: 'labels' })
      expect(await target.find(deleted)).toMatchObject({ reason: 'asked for', deletedAt: nowMs })
      await expect(importOffchain(target, from(['{"type":"header"}']), verifier)).rejects.toThrow(
        /no export of/,
      )
      await expect(importOffchain(target, from([lines[0] ?? '', '{']), verifier)).rejects.toThrow(/^line 2/)
      const archive = Buffer.concat(await Array.fromAsync(archiveTexts(from(texts))))
      // The blocks are what the identifiers name.
      const { body } = await post('/offchain/store', texts[0])
      expect(archive.includes(base58ToBytes(String(body['ipfsHash'])))).toBe(true)
      await target.close()
      await other.remove()
    })

    test('is open to several processes at once', async () => {
      const other = openOffchainStore(database.open())
      const entries = await Promise.all(
        [1, 2, 3, 4].map((level) =>
          signWithSdk({ content: { data: `0x${level.toString(16).padStart(64, '0')}` } }),
        ),
      )
      const second = serve({ store: other })
      const statuses = await Promise.all(
        entries.map(async (payload, at) => {
          const headers = { 'content-type': 'application/json', 'x-api-key': key }
          const server = at % 2 === 0 ? app : second
          return (await server.inject({ method: 'POST', url: '/offchain/store', payload, headers }))
            .statusCode
        }),
      )
      expect(statuses).toEqual([200, 200, 200, 200])
      expect((await listed('mode=offchain')).total).toBe(4)
      await second.close()
      await other.close()
    })
  })
}

async function* from(lines: readonly string[]): AsyncGenerator<string> {
  yield* lines
}

function base58ToBytes(text: string): Buffer {
  const digits = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz'
  let value = 0n
  for (const digit of text) value = value * 58n + BigInt(digits.indexOf(digit))
  return Buffer.from(value.toString(16), 'hex')
}

function change(envelope: string, edit: (sig: object) => object): string {
  const { sig, signer: by } = JSON.parse(envelope) as { sig: object; signer: string }
  return JSON.stringify({ sig: edit(sig), signer: by })
}
