import { generateKeyPairSync } from 'node:crypto'
import fastify from 'fastify'
import { afterAll, beforeAll, describe, expect, expectTypeOf, test } from 'vitest'
import {
  sampleAddress,
  sampleAttestation,
  sampleSchema,
} from '@attestry/server/pipeline/testing/sampleRecords.ts'
import { readEvmKey } from '@attestry/trust/gate/evmKey.ts'
import { createPolicies } from '@attestry/trust/gate/gatePolicies.ts'
import { readSigningKey, type SigningKey } from '@attestry/trust/gate/readSigningKey.ts'
import { AttestryError } from './attestryError.ts'
import { createClient } from './createClient.ts'
import { requirePolicy } from './fastify.ts'
import type { GateRule } from './gate/judgeRequest.ts'
import { VerdictRefusedError, verifyVerdict, type VerdictKeys } from './gate/verifyVerdict.ts'
import type { GatePolicy, Verdict } from './gate.ts'
import { serveIndex, type ServedIndex } from './testing/serveIndex.ts'

const attester = sampleAddress(2)
const member = sampleAddress(3)
const nobody = sampleAddress(4)
const holds = { schema: 'onchain_evm_11155111_0x1', attester: [attester] }
// The blocks of the test are from 2023.
const policy = { holds, maxStaleness: '1000w' }

let index: ServedIndex

function newKey(): SigningKey {
  const { privateKey } = generateKeyPairSync('ed25519')
  const key = readSigningKey(String(privateKey.export({ type: 'pkcs8', format: 'pem' })))
  if ('wrong' in key) throw new TypeError(key.wrong)
  return key
}

async function readPolicyHash(name: string): Promise<string> {
  const { rows } = await createClient({ baseUrl: index.baseUrl }).get('/scan/policies')
  return rows.find((row) => row.name === name)?.policyHash ?? ''
}

beforeAll(async () => {
  index = await serveIndex({
    signingKey: newKey(),
    evmKey: readEvmKey('5e'.repeat(32)),
    policies: createPolicies({ member: policy, others: { ...policy, maxStaleness: '999w' } }, true),
  })
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

test('a verdict for a contract is typed data, or says that nothing is signed', async () => {
  const client = createClient({ baseUrl: index.baseUrl })
  const contract = sampleAddress(9)
  const verdict = await client.typedGate('member', member, { chainId: 10, contract, nonce: '7' })
  if (verdict.signature === null) throw new TypeError('The verdict is no allow.')
  expect(verdict).toMatchObject({ domain: { chainId: 10 }, message: { nonce: '7' }, primaryType: 'Verdict' })
  expectTypeOf(verdict.signature).toEqualTypeOf<string>()
  const denied = await client.typedGate('member', nobody, { chainId: 10, contract })
  expect(denied).toMatchObject({ rows: [{ verdict: 'deny' }], signature: null })
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

  test('is reached only by accounts that the policy allows', async () => {
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

describe('a rule that compares', () => {
  type Rule = Partial<GateRule<object>>
  const ruleFor = (rule: Rule) => {
    const client = createClient({ baseUrl: index.baseUrl, retries: 0 })
    return { client, policy: 'member', subject: () => member, ...rule }
  }
  const statusOf = async (rule: Rule) => {
    const app = fastify()
    app.get('/', { preHandler: requirePolicy(ruleFor(rule)) }, () => 'inside')
    const { statusCode } = await app.inject('/')
    await app.close()
    return statusCode
  }
  /** The answers of an index, changed on their way. */
  const changed = (change: (verdict: Verdict) => Verdict): Rule => {
    const { client } = ruleFor({})
    return { client: { ...client, gate: async (...asked) => change(await client.gate(...asked)) } }
  }

  test('allows only by the named policy, for the account that asked, at this time', async () => {
    const policyHash = await readPolicyHash('member')
    expect(await statusOf({ policyHash })).toBe(200)
    expect(await statusOf({ policyHash: await readPolicyHash('others') })).toBe(503)
    expect(await statusOf(changed((verdict) => verdict))).toBe(200)
    expect(await statusOf(changed((verdict) => ({ ...verdict, subject: nobody })))).toBe(503)
    const old = changed((verdict) => ({ ...verdict, at: verdict.at - 301 }))
    expect(await statusOf(old)).toBe(503)
    expect(await statusOf({ ...old, maxAgeSeconds: 600 })).toBe(200)
    expect(await statusOf(changed((verdict) => ({ ...verdict, at: verdict.at + 120 })))).toBe(503)
  })

  test('asks for signed verdicts where it has keys, and believes no other answer', async () => {
    const keys = (await (await fetch(`${index.baseUrl}/.well-known/jwks.json`)).json()) as VerdictKeys
    const policyHash = await readPolicyHash('member')
    const signed = { keys, audience: 'shop' }
    expect(await statusOf({ policyHash, signed })).toBe(200)
    expect(await statusOf({ policyHash, signed, subject: () => nobody })).toBe(403)
    expect(await statusOf({ policyHash: await readPolicyHash('others'), signed })).toBe(503)
    expect(
      await statusOf({
        policyHash,
        signed: { ...signed, keys: { keys: [newKey().publicJwk] } as unknown as VerdictKeys },
      }),
    ).toBe(503)
    expect(await statusOf({ signed })).toBe(503)
    // An answer to an earlier request has another nonce.
    const { client } = ruleFor({})
    const earlier = await client.signedGate('member', member, { audience: 'shop', nonce: 'earlier' })
    const replayed = { ...client, signedGate: () => Promise.resolve(earlier) }
    expect(await statusOf({ policyHash, signed, client: replayed })).toBe(503)
  })

  test('a signed verdict is refused with the first difference from the question', async () => {
    const { client } = ruleFor({})
    const keys = (await (await fetch(`${index.baseUrl}/.well-known/jwks.json`)).json()) as VerdictKeys
    const expected = {
      subject: member.toUpperCase().replace('X', 'x'),
      policyHash: await readPolicyHash('member'),
      audience: 'shop',
      nonce: 'n-1',
    }
    const token = await client.signedGate('member', member, { audience: 'shop', nonce: 'n-1' })
    const held = await verifyVerdict(token, keys, expected)
    expect(held).toMatchObject({ verdict: 'allow', policy: 'member' })
    const differences: readonly [object, RegExp, number?][] = [
      [{ subject: nobody }, /about 0x/],
      [{ policyHash: '00' }, /of the policy/],
      [{ audience: 'bank' }, /another audience/],
      [{ nonce: 'n-2' }, /another request/],
      [{}, /not hold at this time/, held.exp],
      [{}, /not hold at this time/, held.iat - 61],
      [{ maxAgeSeconds: 10 }, /too long ago/, held.at + 11],
    ]
    for (const [difference, message, now] of differences) {
      const verified = verifyVerdict(token, keys, { ...expected, ...difference }, now)
      await expect(verified).rejects.toThrow(VerdictRefusedError)
      await expect(verified).rejects.toThrow(message)
    }
    const [head = '', claims = '', signature = ''] = token.split('.')
    const denied = btoa(atob(claims).replace('"allow"', '"deny" ')).replace(/=+$/, '')
    for (const forged of ['', 'a.b.c', token.slice(0, -8), `${head}.${denied}.${signature}`, `${token}.x`]) {
      await expect(verifyVerdict(forged, keys, expected)).rejects.toThrow(VerdictRefusedError)
    }
  })
})
