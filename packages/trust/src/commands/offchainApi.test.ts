import type { FastifyInstance } from 'fastify'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createServer } from '@attestry/server/testing/createServer.ts'
import { zeroHash, type Hash } from '@attestry/core/model/hex.ts'
import type { AskContractSigner, OffchainCheck } from '@attestry/core/model/offchainRecord.ts'
import { decodeAttestedPayload } from '@attestry/core/protocols/decodeAttestedPayload.ts'
import { content, signer, signWithSdk, stranger } from '../statements/testing/sdkVectors.ts'
import { findPrivateProof, privateRoot } from '../statements/testing/privateProofs.ts'
import { sampleStateProver } from '../stateProofs/testing/sampleStateProver.ts'
import { makeSignBodies } from '../statements/testing/signBodies.ts'
import { createOffchainVerifier } from './createOffchainVerifier.ts'
import {
  chainId,
  now,
  openAnchoredIndex,
  plainUid,
  privateUid,
  transactionHash,
  uidOf,
} from './testing/anchoredIndex.ts'

let app: FastifyInstance
let index: Awaited<ReturnType<typeof openAnchoredIndex>>
let revoked: string
let revokedByStranger: string
let answer: Awaited<ReturnType<AskContractSigner>> = { kind: 'notSigned', at: [] }

beforeAll(async () => {
  index = await openAnchoredIndex()
  ;({ revoked, revokedByStranger } = index)
  app = createServer({
    reader: index.reader,
    decodePayload: decodeAttestedPayload,
    offchain: createOffchainVerifier([], async () => answer),
    now: () => now,
    stateProver: sampleStateProver,
  })
})
afterAll(async () => {
  await app.close()
  await index.close()
})

/** The `data` of an answer. */
type Data = Record<string, unknown> & { readonly checks: readonly OffchainCheck[] }

async function post(path: string, body: unknown): Promise<{ status: number; data: Data }> {
  const payload = typeof body === 'string' ? body : JSON.stringify(body)
  const response = await app.inject({
    method: 'POST',
    url: path,
    payload,
    headers: { 'content-type': 'application/json' },
  })
  return { status: response.statusCode, data: response.json<{ data: Data }>().data }
}

async function verify(body: unknown): Promise<Data> {
  const { status, data } = await post('/scan/offchain/verify', body)
  expect(status).toBe(200)
  return data
}

function failing(data: Data): string[] {
  return data.checks.filter(({ ok }) => !ok).map(({ name }) => name)
}

describe('POST /scan/offchain/verify', () => {
  test('shows the attestation and the time of its anchor, and ignores revocations by other accounts', async () => {
    const data = await verify(revokedByStranger)
    expect(data).toMatchObject({
      valid: true,
      protocol: 'eas',
      uid: uidOf(revokedByStranger),
      signer: signer.address,
      chainId: '11155111',
      schemaId: content.schema,
      recipient: content.recipient,
      recipients: [content.recipient],
      time: '1700000000',
      expirationTime: '1900000000',
      linkedAttestation: content.refUID,
      decodedData: [{ name: 'level', type: 'uint256', value: '42' }],
      decodedDataError: null,
      timestampedAt: 1_700_000_010,
      revokedAt: null,
      expired: false,
    })
    expect(data.checks.map(({ name }) => name)).toEqual([
      ...['format', 'uid', 'domain', 'signature', 'schema', 'payload', 'expiry', 'revocation'],
    ])
  })

  test('finds a revocation by the signer, even if the message says that it is irrevocable', async () => {
    const data = await verify(revoked)
    expect(data).toMatchObject({ valid: false, revokedAt: 1_700_000_012, timestampedAt: null })
    expect(failing(data)).toEqual(['revocation'])
    expect(data.checks.at(-1)?.message).toBe(
      'Its signer revoked it at 2023-11-14 22:13:32 UTC, although it says that it is not revocable.',
    )
  })

  test('says so where the schema or the chain is not indexed, or the payload has other fields', async () => {
    const other = await verify(await signWithSdk({ content: { schema: `0x${'01'.repeat(32)}` } }))
    expect(failing(other)).toEqual(['schema', 'payload'])
    const elsewhere = await verify(
      await signWithSdk({ chainId: 1n, contract: '0xA1207F3BBa224E2c9c3c6D5aF63D0eb1582Ce587' }),
    )
    expect(failing(elsewhere)).toEqual(['schema', 'payload', 'revocation'])
    const misfit = await verify(await signWithSdk({ content: { data: '0x2a' } }))
    expect(failing(misfit)).toEqual(['payload'])
    expect(misfit['decodedData']).toBeNull()
  })

  test('asks a contract where the signature is of no key', async () => {
    const envelope = JSON.parse(await signWithSdk()) as { sig: { signature: unknown } }
    envelope.sig.signature = '0x1234'
    answer = { kind: 'signed', at: { chainId: 11155111, block: 7 } }
    expect(failing(await verify(envelope))).toEqual([])
    answer = { kind: 'unknown', reason: 'Nobody answers.' }
    const data = await verify(envelope)
    expect(failing(data)).toEqual(['signature'])
    expect(data.checks[3]?.message).toMatch(/Nobody answers\.$/)
    answer = { kind: 'notSigned', at: [] }
  })

  test('decodes the JSON of a body of Sign Protocol', async () => {
    const { attestation, revocation } = await makeSignBodies()
    expect(await verify(attestation)).toMatchObject({
      valid: true,
      protocol: 'sign',
      uid: null,
      chainId: null,
      schemaId: 'SPS_1',
      recipient: 'ada@example.org',
      decodedData: [
        { name: 'name', type: 'string', value: 'Ada' },
        { name: 'level', type: 'number', value: '3' },
      ],
    })
    expect(await verify(revocation)).toMatchObject({
      valid: true,
      decodedData: [{ value: 'SPA_1' }, { value: 'wrong level' }],
    })
  })

  test.each([
    '5',
    'null',
    '[]',
    '{}',
    '{"sig":5}',
    '{"url":"x"}',
    `${'['.repeat(50_000)}${']'.repeat(50_000)}`,
  ])('answers JSON that is none of them by the check of its format', async (body) => {
    const data = await verify(body)
    expect(data['valid']).toBe(false)
    expect(data.checks[0]).toMatchObject({ name: 'format', ok: false })
    expect(data.checks).toHaveLength(8)
  })

  test('refuses bodies that are not JSON, and other media types', async () => {
    expect((await post('/scan/offchain/verify', 'hello')).status).toBe(400)
    expect((await post('/scan/offchain/verify', '')).status).toBe(400)
    const plain = await app.inject({
      method: 'POST',
      url: '/scan/offchain/verify',
      payload: '{}',
      headers: { 'content-type': 'text/plain' },
    })
    expect(plain.statusCode).toBe(415)
    const large = await app.inject({
      method: 'POST',
      url: '/scan/offchain/verify',
      payload: ' '.repeat(2 ** 21 + 1),
      headers: { 'content-type': 'application/json' },
    })
    expect(large.statusCode).toBe(413)
  })
})

describe('POST /scan/offchain/verify-private', () => {
  const id = (uid: Hash) => `onchain_evm_${chainId}_${uid}`
  test('shows the values that a proof reveals', async () => {
    const { data } = await post('/scan/offchain/verify-private', {
      attestationId: id(privateUid),
      proof: findPrivateProof([0, 1]),
    })
    expect(data).toMatchObject({ valid: true, root: privateRoot })
    expect(data['revealed']).toEqual(
      expect.arrayContaining([
        { name: 'born', type: 'uint256', value: '18151210' },
        { name: 'name', type: 'string', value: 'Ada' },
      ]),
    )
    expect(data['revealed']).toHaveLength(2)
  })

  test('does not hold for another value, another attestation or no value', async () => {
    const changed = structuredClone(findPrivateProof([0]))
    for (const leaf of changed.leaves) leaf['value'] = 'Eve'
    const ask = async (uid: Hash, given: unknown) =>
      failing((await post('/scan/offchain/verify-private', { attestationId: id(uid), proof: given })).data)
    expect(await ask(privateUid, changed)).toEqual(['proof'])
    expect(await ask(plainUid, findPrivateProof([0]))).toEqual(['root', 'proof'])
    expect(await ask(privateUid, { leaves: [], proof: [], proofFlags: [] })).toEqual(['format', 'proof'])
  })

  test('refuses a malformed id, and one that is not indexed', async () => {
    expect(
      (await post('/scan/offchain/verify-private', { attestationId: '0x1', proof: findPrivateProof([0]) }))
        .status,
    ).toBe(400)
    expect(
      (
        await post('/scan/offchain/verify-private', {
          attestationId: id(zeroHash),
          proof: findPrivateProof([0]),
        })
      ).status,
    ).toBe(404)
  })
})

describe('GET /scan/anchors', () => {
  const list = async (query: string) => {
    const response = await app.inject({ url: `/scan/anchors?${query}` })
    expect(response.statusCode).toBe(200)
    return response.json<{
      data: { total: number; rows: Record<string, unknown>[]; nextCursor: string | null }
    }>().data
  }

  test('lists anchors newest first, by value, type and account', async () => {
    expect((await list('')).rows.map(({ blockNumber }) => blockNumber)).toEqual([12, 11, 10])
    expect(await list(`value=${uidOf(revoked).toUpperCase().replace('0X', '0x')}`)).toMatchObject({
      total: 1,
      rows: [
        {
          type: 'RevokedOffchain',
          protocol: 'eas',
          chainId: '11155111',
          value: uidOf(revoked),
          account: signer.address,
          timestamp: 1_700_000_012,
          blockNumber: 12,
          transactionHash,
          reason: '',
        },
      ],
    })
    expect((await list(`account=${stranger.address}&type=RevokedOffchain`)).total).toBe(1)
    expect((await list(`account=${stranger.address}&type=Timestamped`)).total).toBe(0)
    expect((await list('type=Timestamped')).rows).toMatchObject([{ account: null, blockNumber: 10 }])
  })

  test('is a field of GraphQL too', async () => {
    const ask = async (query: string) => {
      const headers = { 'content-type': 'application/json' }
      const response = await app.inject({ method: 'POST', url: '/graphql', payload: { query }, headers })
      return response.json<{ data: unknown; errors?: { message: string }[] }>()
    }
    const members = 'total page size rows { type chainId value account timestamp blockNumber }'
    expect(await ask(`{ anchors(account: "${signer.address}", size: 5) { ${members} } }`)).toEqual({
      data: {
        anchors: {
          total: 1,
          page: 1,
          size: 5,
          rows: [
            {
              type: 'RevokedOffchain',
              chainId: '11155111',
              value: uidOf(revoked),
              account: signer.address,
              timestamp: 1_700_000_012,
              blockNumber: 12,
            },
          ],
        },
      },
    })
    expect((await ask('{ anchors(account: "x") { total } }')).errors?.[0]?.message).toMatch(
      /^account must be/,
    )
  })

  test('is walked by cursor', async () => {
    const blocks: unknown[] = []
    for (let cursor: string | null = '*'; cursor !== null;) {
      const step = await list(`cursor=${cursor}&size=1`)
      blocks.push(...step.rows.map(({ blockNumber }) => blockNumber))
      cursor = step.nextCursor
    }
    expect(blocks).toEqual([12, 11, 10])
  })
})

test('with prove, the answer has a proof of state of what its contract keeps, or says why not', async () => {
  const envelope = JSON.parse(await signWithSdk()) as object
  expect(await verify({ ...envelope, prove: true })).toMatchObject({
    proof: { claim: { kind: 'anchor' }, says: { revoked: false } },
    proofError: null,
  })
  expect(await verify({ ...envelope, prove: false })).not.toHaveProperty('proof')
  const { attestation } = await makeSignBodies()
  expect(await verify({ ...(JSON.parse(attestation) as object), prove: true })).toMatchObject({
    proof: null,
    proofError: 'Only contracts of EAS keep revocations of off-chain attestations.',
  })
  expect((await post('/scan/offchain/verify', { ...envelope, prove: 'yes' })).status).toBe(400)
})
