import { beforeAll, describe, expect, test } from 'vitest'
import { localIdOfCounter } from '@attestry/core/model/compositeId.ts'
import type { Hex } from '@attestry/core/model/hex.ts'
import { eventPosition } from '@attestry/core/model/position.ts'
import type { Attestation, Schema } from '@attestry/core/model/records.ts'
import type { CreateApiTestStore } from './apiTestStore.ts'
import { sampleChain } from '../pipeline/testing/sampleIndex.ts'
import { sampleAddress, sampleAttestation, sampleSchema } from '../pipeline/testing/sampleRecords.ts'
import { useFilledStore } from './testStoreAnswers.ts'

const id = 'onchain_evm_11155111_0x1'
const attester = sampleAddress(2)
const recipient = sampleAddress(3)

/**
 * Two protocols with the same ids on one chain: an id means the record of the first protocol by name, `protocol`
 * reaches the other, and neither shows anything of the other.
 */
export function describeSharedIds(name: string, create: CreateApiTestStore): void {
  describe(`ids that two protocols share, over ${name}`, () => {
    const { server } = useFilledStore(create, sharedContent())

    async function get(url: string): Promise<Answered> {
      return (await server().inject(url)).json()
    }
    async function post(url: string, payload: object): Promise<Answered> {
      return (await server().inject({ method: 'POST', url, payload })).json()
    }

    let eas: Answered
    let sign: Answered
    beforeAll(async () => {
      const query = `query ($id: String!, $protocol: String) {
        schema(id: $id, protocol: $protocol) {
          name protocol attestationCount topAttesters { count } activity { attestations }
          attestations { totalCount nodes { attestationId schema { name protocol } } }
        }
        attestation(id: $id, protocol: $protocol) {
          protocol revoked decodedData { name value } schema { name registerTimestamp }
          referencedBy { totalCount nodes { attestationId protocol linkedRecord { protocol } } }
        }
      }`
      const ask = async (protocol: string | null) => {
        return (await post('/graphql', { query, variables: { id, protocol } })).data
      }
      ;[eas, sign] = [await ask(null), await ask('sign')]
    })

    test('name a record each, with its own revocation and payload', async () => {
      expect(await get(`/scan/schemas/${id}`)).toMatchObject({ data: { name: 'Flag' } })
      expect(await get(`/scan/schemas/${id}?protocol=sign`)).toMatchObject({ data: { name: 'Level' } })
      const found = `/scan/attestations/${id}?include=decoded`
      expect(await get(found)).toMatchObject({
        data: { revoked: false, decodedData: [{ name: 'flag', value: true }] },
      })
      expect(await get(`${found}&protocol=sign`)).toMatchObject({
        data: { revoked: true, decodedData: [{ name: 'level', value: '1' }] },
      })
      expect(await get(`/scan/schemas/${id}?protocol=verax`)).toMatchObject({
        statusCode: 404,
        message: `No schema ${id} of the protocol verax is indexed here; /scan/schemas lists those that are. It may exist nevertheless: Chain 11155111 is indexed here for sign, eas, not for verax.`,
      })
      for (const [protocol, schema] of [
        ['', 'Flag'],
        ['&protocol=sign', 'Level'],
      ] as const) {
        expect(await get(`/scan/schemas/by-ids?ids=${id}${protocol}`)).toMatchObject({
          data: { rows: [{ name: schema }] },
        })
        expect(await get(`/index/attestations?id=${id}${protocol}`)).toMatchObject({
          data: { total: 1, rows: [{ schema: { name: schema } }] },
        })
        expect(await get(`/index/schemas?id=${id}${protocol}`)).toMatchObject({
          data: { total: 1, rows: [{ name: schema }] },
        })
      }
    })

    test('say their protocol in any list where they are asked to', async () => {
      const protocolsOf = async (path: string) => {
        const { data } = await get(path)
        return data.rows.filter((row) => row.id === id).map(({ protocol }) => protocol)
      }
      for (const include of ['protocol', 'decoded,protocol']) {
        for (const list of ['/scan/attestations?', `/scan/addresses/${attester}/attestations?`]) {
          expect(await protocolsOf(`${list}include=${include}`)).toEqual(['eas', 'sign'])
        }
        expect(await protocolsOf(`/scan/attestations/by-ids?ids=${id}&include=${include}`)).toEqual(['eas'])
        expect(
          await protocolsOf(`/scan/attestations/by-ids?ids=${id}&protocol=sign&include=${include}`),
        ).toEqual(['sign'])
      }
      expect(await get(`/scan/attestations/${id}?protocol=sign&include=decoded,protocol`)).toMatchObject({
        data: { protocol: 'sign', decodedData: [{ name: 'level', value: '1' }] },
      })
      expect(await get(`/scan/attestations/${id}?include=protocols`)).toMatchObject({
        message:
          'include must be one or more of decoded, protocol, content, names, separated by commas; ' +
          "it was 'protocols'.",
      })
    })

    test('say their protocol in lists of schemas, in the newest and found records, and in transactions', async () => {
      const { registrant, transactionHash } = sampleSchema(1)
      const both = ['eas', 'sign']
      const lists = [
        'top-schemas',
        'trending-schemas',
        'latest-attestations',
        'schemas',
        'schemas?chainId=11155111',
      ]
      for (const list of [...lists, 'schemas?cursor=*', `addresses/${registrant}/schemas`]) {
        const url = `/scan/${list}${list.includes('?') ? '&' : '?'}include=protocol`
        const { data } = await get(url)
        const protocols = data.rows.filter((row) => row.id === id).map(({ protocol = '' }) => protocol)
        expect([url, protocols.sort()]).toEqual([url, both])
      }
      const { data: found } = await get(`/scan/search?keyword=${id}&include=protocol`)
      expect(found.queryResult.map(({ rows }) => rows.map(({ protocol = '' }) => protocol).sort())).toEqual([
        both,
        both,
        [],
      ])
      for (const protocol of ['eas', 'sign']) {
        const query = `protocol=${protocol}&include=protocol`
        expect(await get(`/scan/schemas/${id}?${query}`)).toMatchObject({ data: { protocol } })
        expect(await get(`/scan/schemas/by-ids?ids=${id}&${query}`)).toMatchObject({
          data: { rows: [{ protocol }] },
        })
      }
      expect(await get(`/scan/transactions/${transactionHash}?include=protocol`)).toMatchObject({
        data: { schemas: [{ id, protocol: 'sign' }] },
      })
      expect(await get('/scan/latest-attestations?include=decoded')).toMatchObject({
        message: "include must be one or more of protocol, names, separated by commas; it was 'decoded'.",
      })
    })

    test('filter the records of one protocol', async () => {
      const idsUnder = async (filter: string) => {
        const { data } = await get(`/scan/attestations?${filter}`)
        return [data.total, ...data.rows.map(({ attestationId }) => attestationId)]
      }
      expect(await idsUnder(`schemaId=${id}`)).toEqual([3, '0x5', '0x3', '0x1'])
      expect(await idsUnder(`schemaId=${id}&protocol=sign`)).toEqual([2, '0x2', '0x1'])
      expect(await idsUnder(`schemaId=${id}&protocol=sign&revoked=false`)).toEqual([1, '0x2'])
      expect(await idsUnder(`schemaId=${id}&protocol=verax`)).toEqual([0])
      expect(await idsUnder(`attester=${attester}&schemaId=${id}&protocol=sign`)).toEqual([2, '0x2', '0x1'])
      expect(await idsUnder(`linkedAttestation=${id}`)).toEqual([1, '0x3'])
      expect(await idsUnder(`linkedAttestation=${id}&protocol=sign`)).toEqual([1, '0x2'])
      expect(await idsUnder(`linkedAttestation[in]=${JSON.stringify([id])}&revoked=false`)).toEqual([
        1,
        '0x3',
      ])
      expect(await idsUnder(`schemaId=${id}&field[flag]=true`)).toEqual([2, '0x3', '0x1'])
      expect(await idsUnder(`schemaId=${id}&protocol=sign&field[level]=1`)).toEqual([2, '0x2', '0x1'])
      expect(await get(`/scan/attestations?schemaId=${id}&field[level]=1`)).toMatchObject({ statusCode: 400 })
      expect(await get(`/index/attestations?schemaId=${id}`)).toMatchObject({ data: { total: 3 } })
      expect(await get(`/index/attestations?schemaId=${id}&protocol=sign`)).toMatchObject({
        data: { total: 2 },
      })
    })

    test('are counted apart', async () => {
      expect(await get('/scan/aggregate/attestations?by=schema')).toMatchObject({
        data: {
          total: 5,
          groups: 2,
          rows: [
            { key: id, protocol: 'eas', count: 3 },
            { key: id, protocol: 'sign', count: 2 },
          ],
        },
      })
      expect(await get(`/scan/schemas/${id}/activity`)).toMatchObject({
        data: { rows: [{ attestationCount: 3 }] },
      })
      expect(await get(`/scan/schemas/${id}/activity?protocol=sign`)).toMatchObject({
        data: { rows: [{ attestationCount: 2 }] },
      })
      expect(await get(`/scan/search?keyword=${id}`)).toMatchObject({
        data: { queryResult: [{ type: 'schema', total: 2 }, { type: 'attestation', total: 2 }, {}] },
      })
    })

    test('are looked up in bodies', async () => {
      const status = (body: object) => post('/scan/attestations/status', { ids: [id], ...body })
      expect(await status({})).toMatchObject({ data: { rows: [{ status: 'valid' }] } })
      expect(await status({ protocol: 'sign' })).toMatchObject({ data: { rows: [{ status: 'revoked' }] } })
      expect(await status({ protocol: 'Sign' })).toMatchObject({ statusCode: 400 })
      const holder = (body: object) =>
        post('/scan/holders', { addresses: [recipient], schemaId: id, ...body })
      const held = (localId: string) => ({
        data: { rows: [{ address: recipient, attestation: `onchain_evm_11155111_${localId}` }] },
      })
      expect(await holder({})).toMatchObject(held('0x5'))
      expect(await holder({ protocol: 'sign' })).toMatchObject(held('0x2'))
    })

    test('narrow the attestations of an address', async () => {
      const path = `/scan/addresses/${attester}/attestations?`
      for (const schemaId of [id, '0x1']) {
        expect(await get(`${path}schemaId=${schemaId}`)).toMatchObject({ data: { total: 3 } })
        expect(await get(`${path}schemaId=${schemaId}&protocol=sign`)).toMatchObject({ data: { total: 2 } })
      }
      expect(await get(`${path}protocol=sign`)).toMatchObject({
        statusCode: 400,
        message: 'protocol needs schemaId, the id that several protocols may have; add it.',
      })
    })

    test('lead from record to record within one protocol in GraphQL', () => {
      expect(eas).toEqual({
        schema: {
          name: 'Flag',
          protocol: 'eas',
          attestationCount: 3,
          topAttesters: [{ count: 3 }],
          activity: [{ attestations: 3 }],
          attestations: {
            totalCount: 3,
            nodes: ['0x5', '0x3', '0x1'].map((attestationId) => {
              return { attestationId, schema: { name: 'Flag', protocol: 'eas' } }
            }),
          },
        },
        attestation: {
          protocol: 'eas',
          revoked: false,
          decodedData: [{ name: 'flag', value: true }],
          schema: { name: 'Flag', registerTimestamp: 1_700_000_002 },
          referencedBy: {
            totalCount: 1,
            nodes: [{ attestationId: '0x3', protocol: 'eas', linkedRecord: { protocol: 'eas' } }],
          },
        },
      })
      expect(sign).toMatchObject({
        schema: { name: 'Level', protocol: 'sign', attestationCount: 2, attestations: { totalCount: 2 } },
        attestation: {
          protocol: 'sign',
          revoked: true,
          decodedData: [{ name: 'level', value: '1' }],
          schema: { name: 'Level', registerTimestamp: 1_700_000_001 },
          referencedBy: {
            totalCount: 1,
            nodes: [{ attestationId: '0x2', protocol: 'sign', linkedRecord: { protocol: 'sign' } }],
          },
        },
      })
    })
  })
}

/** The members of answers that tests look into. */
interface Answered {
  readonly data: Answered & {
    readonly total: number
    readonly rows: readonly AnsweredRow[]
    readonly queryResult: readonly { readonly rows: readonly AnsweredRow[] }[]
  }
}

interface AnsweredRow {
  readonly id: string
  readonly attestationId: string
  readonly protocol?: string
}

const sharedId = localIdOfCounter(1n)
const one = `0x${'1'.padStart(64, '0')}` as Hex

function sharedContent() {
  const schema = (
    protocol: string,
    number: number,
    name: string,
    field: Schema['definition']['fields'][0],
  ) => {
    const { key } = sampleSchema(1)
    const definition = { name, description: '', fields: [field] }
    return sampleSchema(number, { key, protocol, definition })
  }
  const made = (protocol: string, number: number, oddities: Partial<Attestation> = {}) =>
    sampleAttestation(number, { protocol, data: one, ...oddities })
  const position = eventPosition(2_020, 0)
  return {
    schemas: [
      schema('sign', 1, 'Level', { name: 'level', type: 'uint256' }),
      schema('eas', 2, 'Flag', { name: 'flag', type: 'bool' }),
    ],
    attestations: [
      made('sign', 1),
      made('sign', 2, { linkedAttestation: sharedId }),
      { ...made('eas', 3), key: made('eas', 1).key, position: eventPosition(2_010, 0) },
      made('eas', 3, { position, linkedAttestation: sharedId }),
      made('eas', 5, { position: eventPosition(2_030, 0), data: `0x${'0'.repeat(64)}` as Hex }),
    ],
    revocations: {
      [sharedId]: { timestamp: '1700200000', reason: '', transactionHash: sampleSchema(9).transactionHash },
    },
    anchors: [],
    chains: [sampleChain({ protocols: ['sign', 'eas'] })],
  }
}
