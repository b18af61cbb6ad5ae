import fastify from 'fastify'
import { afterAll, beforeAll, describe, expect, expectTypeOf, test } from 'vitest'
import { sampleAddress, sampleAttestation, sampleSchema } from '../../src/http/testing/sampleRecords.ts'
import { AttestryError } from './attestryError.ts'
import { createClient } from './createClient.ts'
import { requirePolicy } from './fastify.ts'
import type { GatePolicy } from './gate.ts'
import { serveIndex, type ServedIndex } from './testing/serveIndex.ts'

const attester = sampleAddress(2)
const member = sampleAddress(3)
const nobody = sampleAddress(4)
const holds = { schema: 'onchain_evm_11155111_0x1', attester: [attester] }
// The blocks of the test are from 2023.
const policy = { holds, maxStaleness: '1000w' }

let index: ServedIndex

beforeAll(async () => {
  index = await serveIndex()
  const [schema, attestation] = [sampleSchema(1), sampleAttestation(1)]
  await index.apply(
    { kind: 'schemaRegistered', position: schema.position, schema },
    { kind: 'attestationMade', position: attestation.position, attestation },
  )
})
afterAll(() => index.close())

describe('a verdict', () => {
  test('says whether a policy lets an address through, why, and in which state of the index', async () => {
    const client = createClient({ baseUrl: index.baseUrl })
    const verdict = await client.gate(policy, member)
    expectTypeOf(verdict.verdict).toEqualTypeOf<'allow' | 'deny' | 'unknown'>()
    expect(verdict).toMatchObject({
      subject: member,
      verdict: 'allow',
      because: ['onchain_evm_11155111_0x1'],
      asOf: [{ chainId: '11155111' }],
      policyHash: expect.stringMatching(/^[0-9a-f]{64}$/),
    })
    expect(await client.gate(policy, nobody)).toMatchObject({ verdict: 'deny' })
    expect(await client.gate(policy, member, { asOf: '1500000000' })).toMatchObject({ verdict: 'deny' })
    await expect(client.gate('nowhere', member)).rejects.toThrow(AttestryError)
  })
})

describe('a route behind a policy', () => {
  const ask = async (asked: GatePolicy, account: string | undefined, baseUrl = index.baseUrl) => {
    const app = fastify()
    const client = createClient({ baseUrl, retries: 0 })
    const subject = ({ headers }: { readonly headers: Readonly<Record<string, unknown>> }) =>
      headers['x-account'] as string | undefined
    app.get('/', { preHandler: requirePolicy({ client, policy: asked, subject }) }, () => 'inside')
    const response = await app.inject({
      url: '/',
      headers: account === undefined ? {} : { 'x-account': account },
    })
    await app.close()
    return response
  }

  test('is reached by whom the policy lets through, and by nobody else', async () => {
    expect(await ask(policy, member)).toMatchObject({ statusCode: 200, body: 'inside' })
    const denied = await ask(policy, nobody)
    expect([denied.statusCode, denied.json()]).toEqual([
      403,
      {
        message: 'The policy does not let this account through.',
        verdict: 'deny',
        reasons: [expect.stringMatching(/^The subject holds no valid attestation under/)],
      },
    ])
    for (const account of [undefined, '', 'somebody', `${member}0`]) {
      expect((await ask(policy, account)).statusCode).toBe(401)
    }
  })

  test('is shut where the index does not know, is away, or has no such policy', async () => {
    const stale = await ask({ holds }, member)
    expect([stale.statusCode, stale.json<{ verdict: string }>().verdict]).toEqual([503, 'unknown'])
    for (const response of [await ask(policy, member, 'http://127.0.0.1:9'), await ask('nowhere', member)]) {
      expect([response.statusCode, response.json()]).toEqual([
        503,
        {
          message: 'Whether you may pass cannot be found out at the moment; try again later.',
          verdict: null,
          reasons: [],
        },
      ])
    }
  })
})
