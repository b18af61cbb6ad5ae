import { generateKeyPairSync } from 'node:crypto'
import { recoverTypedDataAddress, type TypedDataDomain } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { createLocalJWKSet, jwtVerify } from 'jose'
import { afterAll, describe, expect, test } from 'vitest'
import { checksumAddress } from '@attestry/core/model/checksumAddress.ts'
import { localIdOfCounter } from '@attestry/core/model/compositeId.ts'
import { unixMilliseconds, unixSeconds } from '@attestry/core/model/time.ts'
import { createServer } from '@attestry/server/testing/createServer.ts'
import { createSampleIndex, sampleChain } from '@attestry/server/pipeline/testing/sampleIndex.ts'
import {
  sampleAddress,
  sampleAttestation,
  sampleSchema,
} from '@attestry/server/pipeline/testing/sampleRecords.ts'
import { openTestIndex } from '@attestry/server/pipeline/testing/testIndex.ts'
import { readEvmKey } from './evmKey.ts'
import { createPolicies } from './gatePolicies.ts'
import { readSigningKey } from './readSigningKey.ts'

const nowS = 1_800_000_000
const attester = sampleAddress(2)
const holder = sampleAddress(21)
const expiring = sampleAddress(22)
const aged = sampleAddress(23)
const nobody = sampleAddress(24)
const contract = sampleAddress(90)
const privateKey = `0x${'4c'.repeat(32)}` as const
const account = privateKeyToAccount(privateKey)

/** Records under schema 50, made a day ago unless it is said. */
const records = [
  { recipient: holder },
  { recipient: expiring, validUntil: BigInt(nowS + 40) },
  { recipient: aged, ageS: 3_550 },
].map(({ recipient, validUntil = 0n, ageS = 86_400 }, index) =>
  sampleAttestation(500 + index, {
    schemaLocalId: localIdOfCounter(50n),
    attester,
    recipients: [{ kind: 'address', address: recipient }],
    validUntil,
    attestTimestamp: unixSeconds(nowS - ageS),
  }),
)

const index = createSampleIndex()
index.schemas = [...index.schemas, sampleSchema(50)]
index.attestations = [...index.attestations, ...records]
index.chains = [
  sampleChain({ updatedAt: unixMilliseconds(nowS * 1000), indexedTimestamp: unixSeconds(nowS - 1) }),
]

const holds = { schema: 'onchain_evm_11155111_0x32', attester: [attester] }
const identity = {
  domain: { name: 'Sablier Airdrops Protocol', chainId: 31_337, verifyingContract: contract },
  primaryType: 'Identity',
  types: { Identity: [{ name: 'recipient', type: 'address' }] },
  message: { recipient: '$subject' },
}
const policies = {
  kyc: { holds },
  recent: { any: [{ holds: { ...holds, maxAge: '1h' } }, { holds }] },
  far: { holds: { schema: 'onchain_evm_999_0x1', attester: [attester] } },
  fixed: { holds, typedData: { domain: { chainId: 31_337, verifyingContract: contract } } },
  airdrop: { holds, typedData: identity },
}

function open(parts: Parameters<typeof createServer>[0] | object = {}, signsInline = false) {
  return createServer({
    reader: openTestIndex(index),
    now: () => unixMilliseconds(nowS * 1000 + 250),
    policies: createPolicies(policies, true, signsInline),
    evmKey: readEvmKey(privateKey),
    ...parts,
  })
}

const ed25519 = readSigningKey(
  String(generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' })),
)
if ('wrong' in ed25519) throw new Error(ed25519.wrong)
const app = open({ signingKey: ed25519 })
const keyless = open({ evmKey: undefined })
const signsAll = open({}, true)
afterAll(() => Promise.all([app, keyless, signsAll].map((server) => server.close())))

const forContract = `verifyChainId=31337&verifyingContract=${contract}`

interface Typed {
  readonly domain: TypedDataDomain
  readonly types: Record<string, { name: string; type: string }[]>
  readonly primaryType: string
  readonly message: Record<string, unknown>
  readonly signature: `0x${string}`
  readonly signer: string
}

const signed = async (path: string, headers = {}) => {
  const response = await app.inject({ url: path, headers })
  expect([response.statusCode, response.headers['content-type'], response.headers['cache-control']]).toEqual([
    200,
    'application/vnd.attestry.eip712+json',
    'no-store',
  ])
  return response.json<Typed>()
}

const refusal = async (url: string, server = app) => {
  const response = await server.inject(url)
  return [response.statusCode, response.json<{ message: string }>().message]
}

describe('a verdict for contracts', () => {
  test('is typed data that says all of an allow, signed by the key in the set of keys', async () => {
    const plain = (await app.inject(`/scan/gate/kyc/${holder}`)).json<{
      data: { asOf: [{ chainId: string; block: number }]; policyHash: string }
    }>().data
    const typed = await signed(`/scan/gate/kyc/${holder}?signed=eip712&${forContract}&nonce=0x2a`)
    expect(typed).toMatchObject({
      domain: {
        name: 'Attestry',
        version: '1',
        chainId: 31_337,
        verifyingContract: checksumAddress(contract),
      },
      primaryType: 'Verdict',
      message: {
        subject: checksumAddress(holder),
        policy: `0x${plain.policyHash}`,
        chainId: plain.asOf[0].chainId,
        blockNumber: plain.asOf[0].block,
        // This index does not remember the hash.
        blockHash: `0x${'00'.repeat(32)}`,
        issuedAt: nowS,
        expiresAt: nowS + 300,
        nonce: '42',
      },
      signer: account.address,
    })
    expect(await recoverTypedDataAddress(typed)).toBe(account.address)
    const { keys } = (await app.inject('/.well-known/jwks.json')).json<{ keys: Record<string, string>[] }>()
    expect(keys.map(({ alg, kid }) => [alg, kid])).toEqual([
      ['EdDSA', expect.any(String)],
      ['ES256K', `eip155:${account.address}`],
    ])
    const [, key = {}] = keys
    const point = ['x', 'y'].map((name) => Buffer.from(key[name] ?? '', 'base64url').toString('hex')).join('')
    expect(`0x04${point}`).toBe(account.publicKey)
    expect((await app.inject('/scan/policies')).json()).toMatchObject({ data: { signer: account.address } })
    expect((await keyless.inject('/scan/policies')).json()).toMatchObject({ data: { signer: null } })
  })

  test('comes by the header and by POST too, with a nonce of its own each time', async () => {
    const accept = { accept: 'application/json;q=0.5, application/vnd.attestry.eip712+json' }
    const one = await signed(`/scan/gate/kyc/${holder}?${forContract}`, accept)
    const two = await signed(`/scan/gate/kyc/${holder}?${forContract}`, accept)
    expect(one.message['nonce']).not.toBe(two.message['nonce'])
    const response = await signsAll.inject({
      method: 'POST',
      url: `/scan/gate?signed=eip712&${forContract}`,
      payload: { policy: { holds }, subjects: [holder] },
    })
    expect(await recoverTypedDataAddress(response.json<Typed>())).toBe(account.address)
  })

  test.each([
    ['five minutes', 'kyc', holder, 300],
    ['the end of the attestation', 'kyc', expiring, 40],
    ['the age that the policy takes', 'recent', aged, 50],
  ])('expires no later than %s', async (_, policy, subject, seconds) => {
    const { message } = await signed(`/scan/gate/${policy}/${subject}?signed=eip712&${forContract}`)
    expect(message['expiresAt']).toBe(nowS + seconds)
  })

  test('is not signed where it is no allow', async () => {
    const response = await app.inject(`/scan/gate/kyc/${nobody}?signed=eip712&${forContract}`)
    const plain = await app.inject(`/scan/gate/kyc/${nobody}`)
    expect(response.json()).toEqual({ ...plain.json<{ data: object }>().data, signature: null })
    const unknown = await app.inject(`/scan/gate/far/${holder}?signed=eip712&${forContract}`)
    expect(unknown.json()).toMatchObject({ rows: [{ verdict: 'unknown' }], signature: null })
  })

  test('is signed as the typed data of the policy', async () => {
    const typed = await signed(`/scan/gate/airdrop/${holder}?signed=eip712`)
    expect(typed).toMatchObject({
      ...identity,
      domain: { ...identity.domain, verifyingContract: checksumAddress(contract) },
      message: { recipient: checksumAddress(holder) },
    })
    expect(await recoverTypedDataAddress(typed)).toBe(account.address)
    const fixed = await signed(`/scan/gate/fixed/${holder}?signed=eip712`)
    expect(fixed).toMatchObject({ primaryType: 'Verdict', domain: { name: 'Attestry', chainId: 31_337 } })
    // The rules are the same.
    const rows = (await app.inject('/scan/policies')).json<{
      data: { rows: { name: string; policyHash: string }[] }
    }>().data.rows
    expect(
      new Set(rows.filter(({ name }) => name !== 'recent' && name !== 'far').map((row) => row.policyHash))
        .size,
    ).toBe(1)
  })

  test('does not pass for a JWS, nor the key of one purpose for the other', async () => {
    const keys = createLocalJWKSet((await app.inject('/.well-known/jwks.json')).json())
    const { body } = await app.inject(`/scan/gate/kyc/${holder}?signed=true`)
    const { protectedHeader } = await jwtVerify(body, keys, { currentDate: new Date(nowS * 1000) })
    expect(protectedHeader.alg).toBe('EdDSA')
    expect(await refusal(`/scan/gate/kyc/${holder}?signed=true`, keyless)).toEqual([
      400,
      'This server signs no verdicts; its configuration has no key under server.gate.',
    ])
    expect(await refusal(`/scan/gate/kyc/${holder}?signed=eip712&${forContract}`, keyless)).toEqual([
      400,
      'This server signs no verdicts for contracts; its configuration has no evmKey under server.gate.',
    ])
  })
})

test('the bare forms are a word or 65 bytes', async () => {
  const bare = async (path: string) => {
    const { statusCode, headers, body } = await app.inject(path)
    return [statusCode, headers['content-type'], body]
  }
  expect(await bare(`/scan/gate/airdrop/${holder}?as=text`)).toEqual([200, 'text/plain', 'true'])
  expect(await bare(`/scan/gate/airdrop/${nobody}?as=text`)).toEqual([200, 'text/plain', 'false'])
  expect((await bare(`/scan/gate/far/${holder}?as=text`))[0]).toBe(503)
  const [status, type, signature] = await bare(`/scan/gate/airdrop/${holder}?as=signature`)
  expect([status, type]).toEqual([200, 'text/plain'])
  const { signature: same } = await signed(`/scan/gate/airdrop/${holder}?signed=eip712`)
  expect(signature).toBe(same)
  expect(await refusal(`/scan/gate/airdrop/${nobody}?as=signature`)).toEqual([
    404,
    `The policy 'airdrop' does not let ${checksumAddress(nobody)} through, so that nothing is signed.`,
  ])
  expect((await refusal(`/scan/gate/far/${holder}?as=signature&${forContract}`))[0]).toBe(503)
})

const kyc = `/scan/gate/kyc/${holder}`

test.each([
  [`${kyc}?signed=eip712`, 'verifyChainId and verifyingContract are required'],
  [
    `${kyc}?signed=eip712&${forContract}&asOf=1700000000`,
    'A signed verdict is of the newest state; leave out asOf',
  ],
  [
    `${kyc}?as=signature&${forContract}&asOf=1700000000`,
    'A signed verdict is of the newest state; leave out asOf',
  ],
  [
    `${kyc}?signed=eip712&${forContract}&aud=shop`,
    'aud is a claim of a signed verdict; send it with signed=true.',
  ],
  [
    `${kyc}?signed=eip712&${forContract}&nonce=abc`,
    "nonce must be an integer from 0 to 2^256 - 1, in decimal or 0x digits, for a contract; it was 'abc'.",
  ],
  [`${kyc}?signed=eip712&${forContract}&nonce=${2n ** 256n}`, 'nonce must be an integer from 0 to 2^256 - 1'],
  [`${kyc}?signed=maybe`, "signed must be true, false or eip712; it was 'maybe'."],
  [
    `${kyc}?signed=true&${forContract}`,
    'verifyChainId is for verdicts that contracts check; send it with signed=eip712.',
  ],
  [
    `${kyc}?as=text&nonce=1`,
    'nonce is a claim of a signed verdict; send it with signed=true or signed=eip712.',
  ],
  [`${kyc}?as=text&signed=eip712`, 'as=text does not go with signed=eip712; send one of them.'],
  [`${kyc}?as=signature&signed=true`, 'as=signature does not go with signed=true; send one of them.'],
  [`${kyc}?as=png`, "as must be text or signature; it was 'png'."],
  [
    `${kyc}?signed=eip712&verifyChainId=ten&verifyingContract=${contract}`,
    "verifyChainId must be the decimal number of a chain; it was 'ten'.",
  ],
  [
    `/scan/gate/fixed/${holder}?signed=eip712&verifyChainId=10`,
    'verifyChainId must be 31337, as the policy says, or absent; it was 10.',
  ],
  [
    `/scan/gate/airdrop/${holder}?signed=eip712&nonce=1`,
    'nonce must be absent: the typed data of the policy has none.',
  ],
])('%s is refused', async (url, sentence) => {
  expect(await refusal(url)).toEqual([400, expect.stringContaining(sentence)])
})

test('a request cannot choose what the key signs, nor have its own policy signed unless the server says so', async () => {
  const ask = async (server: typeof app, policy: object) => {
    const response = await server.inject({
      method: 'POST',
      url: `/scan/gate?signed=eip712&${forContract}`,
      payload: { policy, subjects: [holder] },
    })
    return [response.statusCode, response.json<{ message: string }>().message]
  }
  expect(await ask(signsAll, { holds, typedData: identity })).toEqual([
    400,
    'policy.typedData is for policies of the configuration: it says what the server signs.',
  ])
  expect(await ask(app, { holds })).toEqual([
    400,
    expect.stringContaining('signs verdicts of its own policies only'),
  ])
})

test.each([
  ['4c', 'a text of 2 characters that is not shown'],
  [`0x${'4g'.repeat(32)}`, 'a text of 66 characters that is not shown'],
  ['00'.repeat(32), '0 or beyond the order of the curve'],
  ['ff'.repeat(32), '0 or beyond the order of the curve'],
])('the key %s is refused and not shown', (setting, found) => {
  expect(() => readEvmKey(setting)).toThrow(
    `server.gate.evmKey must be a private key of secp256k1, 0x and 64 hexadecimal digits, but is ${found}`,
  )
})

test('the variable of a key is named where it is not set', () => {
  expect(() => readEvmKey('${GATE_EVM_KEY}')).toThrow(
    'server.gate.evmKey names the environment variable GATE_EVM_KEY, which is not set or empty; set it',
  )
})
