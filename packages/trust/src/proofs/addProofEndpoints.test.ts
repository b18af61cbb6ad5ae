import { Value } from 'typebox/value'
import { afterAll, describe, expect, test } from 'vitest'
import { OverloadedError, ProofUnavailableError } from '@attestry/core/errors/apiErrors.ts'
import { localIdOfCounter } from '@attestry/core/model/compositeId.ts'
import type { ProvableEvent, RecordProof } from '@attestry/core/model/recordProof.ts'
import { checkProof } from './checkProof.ts'
import { parseProof } from './parseProof.ts'
import { createServer } from '@attestry/server/testing/createServer.ts'
import { openTestIndex } from '@attestry/server/pipeline/testing/testIndex.ts'
import { proveSampleEvent } from '@attestry/server/pipeline/testing/proveSampleEvent.ts'
import { createSampleIndex } from '@attestry/server/pipeline/testing/sampleIndex.ts'
import { sampleContract } from '@attestry/server/pipeline/testing/sampleRecords.ts'
import { recordProof } from './proofPayload.ts'

const index = createSampleIndex()
const options = { reader: openTestIndex(index) }
const asked: ProvableEvent[] = []
const app = createServer({
  ...options,
  proveEvent: (event) => {
    asked.push(event)
    return proveSampleEvent(event)
  },
})
afterAll(() => app.close())

const attestation = (number: string, query = '') =>
  `/scan/attestations/onchain_evm_11155111_${number}/proof${query}`

describe('the proof of an attestation', () => {
  test.each([
    ['', 'attestation', 2_003],
    ['?event=attestation', 'attestation', 2_003],
    ['?event=', 'attestation', 2_003],
    ['?event=revocation', 'revocation', 80_000],
  ])('is answered as it is made, and valid: %j', async (query, event, block) => {
    const response = await app.inject(attestation('0x3', query))
    expect(response.statusCode).toBe(200)
    const { data } = response.json<{ data: RecordProof }>()
    expect([...Value.Errors(recordProof, data)]).toEqual([])
    expect(data).toMatchObject({
      event,
      id: 'onchain_evm_11155111_0x3',
      protocol: 'sign',
      block: { number: block },
      log: { address: '0x878c92FD89d8E0B93Dc0a3c907A2adc7577e39c5' },
    })
    const parsed = parseProof(response.body)
    expect(parsed.kind === 'proof' ? await checkProof(parsed.proof) : parsed).toEqual({ kind: 'valid' })
  })

  test('is asked for by the place of its event', async () => {
    await app.inject(attestation('0x3', '?event=revocation'))
    expect(asked.at(-1)).toEqual({
      event: 'revocation',
      key: { chainId: 11155111, localId: localIdOfCounter(3n) },
      protocol: 'sign',
      position: 80_000 * 2 ** 20,
      blockHash: null,
      contracts: [sampleContract],
    })
  })

  test.each([
    [
      attestation('0xffff'),
      404,
      'No attestation onchain_evm_11155111_0xffff is indexed here; /scan/attestations lists those that are.',
    ],
    [attestation('0x01'), 404, /^No attestation/],
    ['/scan/schemas/onchain_evm_11155111_0xffff/proof', 404, /^No schema/],
    [
      attestation('0x1', '?event=revocation'),
      404,
      'The attestation onchain_evm_11155111_0x1 has no event of a revocation: it is not revoked, or was made so.',
    ],
    [attestation('0x1', '?event=schema'), 400, /^event must be attestation or revocation/],
    ['/scan/attestations/0x1/proof', 400, /^id must be/],
  ])('%s is a %i', async (url, statusCode, message) => {
    const before = asked.length
    const response = await app.inject(url)
    expect(response.statusCode).toBe(statusCode)
    expect(response.json()).toMatchObject({ success: false, statusCode, data: {} })
    expect(response.json<{ message: string }>().message).toMatch(message)
    expect(asked).toHaveLength(before)
  })
})

describe('a proof that cannot be made', () => {
  test('is a 503 that says so, on a server that is connected to no chain', async () => {
    const bare = createServer(options)
    const response = await bare.inject(attestation('0x1'))
    expect(response.statusCode).toBe(503)
    expect(response.json()).toEqual({
      success: false,
      statusCode: 503,
      data: {},
      message: 'This server is connected to no chain, so that it cannot make proofs.',
    })
    expect(response.headers).not.toHaveProperty('retry-after')
    expect((await bare.inject(attestation('0xffff'))).statusCode).toBe(404)
    await bare.close()
  })

  test.each([
    [new ProofUnavailableError('Not now.', { retryAfterSeconds: 30, cause: new Error('secret') }), '30'],
    [new OverloadedError('Not now.', 7), '7'],
  ])('is a 503 that says when to ask again: %s', async (error, retryAfter) => {
    const failing = createServer({ ...options, proveEvent: () => Promise.reject(error) })
    const response = await failing.inject(attestation('0x1'))
    expect(response.statusCode).toBe(503)
    expect(response.headers).toMatchObject({ 'retry-after': retryAfter, 'cache-control': 'no-store' })
    expect(response.json()).toMatchObject({ message: 'Not now.' })
    expect(response.body).not.toContain('secret')
    await failing.close()
  })
})
