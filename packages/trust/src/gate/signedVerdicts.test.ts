import { generateKeyPairSync } from 'node:crypto'
import { createLocalJWKSet, createRemoteJWKSet, decodeProtectedHeader, errors, jwtVerify } from 'jose'
import { afterAll, describe, expect, test } from 'vitest'
import { checksumAddress } from '@attestry/core/model/checksumAddress.ts'
import { unixMilliseconds } from '@attestry/core/model/time.ts'
import { createServer } from '@attestry/server/testing/createServer.ts'
import { createSampleIndex, sampleChain } from '@attestry/server/pipeline/testing/sampleIndex.ts'
import { sampleAddress } from '@attestry/server/pipeline/testing/sampleRecords.ts'
import { listenLocally } from '@attestry/server/pipeline/testing/sendRaw.ts'
import { openTestIndex } from '@attestry/server/pipeline/testing/testIndex.ts'
import { createPolicies } from './gatePolicies.ts'
import { readSigningKey, type SigningKey } from './readSigningKey.ts'

const nowMs = Date.now()
const index = createSampleIndex()
index.chains = [sampleChain({ updatedAt: unixMilliseconds(nowMs - 1_000) })]
const [attester, recipient, nobody] = [2, 3, 4].map((number) => sampleAddress(number))
const kyc = { holds: { schema: 'onchain_evm_11155111_0x1', attester: [attester] } }

const ed25519 = pemOf(generateKeyPairSync('ed25519'))
const p256 = pemOf(generateKeyPairSync('ec', { namedCurve: 'P-256' }))

function pemOf({
  privateKey,
}: {
  readonly privateKey: { export(options: object): string | Buffer }
}): string {
  return String(privateKey.export({ type: 'pkcs8', format: 'pem' }))
}

function keyOf(pem: string): SigningKey {
  const key = readSigningKey(pem)
  if ('wrong' in key) throw new Error(key.wrong)
  return key
}

function open(pem: string | null, signsInline = false) {
  return createServer({
    reader: openTestIndex(index),
    now: () => unixMilliseconds(nowMs),
    policies: createPolicies({ kyc }, true, signsInline),
    ...(pem === null ? {} : { signingKey: keyOf(pem) }),
  })
}

const app = open(ed25519)
const unsigned = open(null)
const other = open(p256)
const signsAll = open(ed25519, true)
afterAll(() => Promise.all([app, unsigned, other, signsAll].map((server) => server.close())))

const keySet = async (server = app) => {
  const response = await server.inject('/.well-known/jwks.json')
  return createLocalJWKSet(response.json())
}

const path = `/scan/gate/kyc/${recipient}`
const jose = { accept: 'application/jose' }

describe('a signed verdict', () => {
  test.each([
    ['Ed25519', ed25519, 'EdDSA'],
    ['P-256', p256, 'ES256'],
  ])(
    'of a key of %s says all that the plain one says, and a library for JWT believes it',
    async (_, pem, alg) => {
      const server = open(pem)
      const plain = (await server.inject(path)).json<{
        data: { rows: [{ verdict: string }]; asOf: unknown; at: number; policyHash: string }
      }>().data
      const response = await server.inject(`${path}?signed=true&aud=shop&nonce=n-1`)
      expect(response.headers).toMatchObject({
        'content-type': 'application/jose',
        'cache-control': 'no-store',
      })
      const options = { audience: 'shop', typ: 'verdict+jwt', currentDate: new Date(nowMs) }
      const { payload } = await jwtVerify(response.body, await keySet(server), options)
      const iat = Math.floor(nowMs / 1000)
      expect(payload).toEqual({
        subject: checksumAddress(recipient ?? attester!),
        verdict: plain.rows[0].verdict,
        policy: 'kyc',
        policyHash: plain.policyHash,
        asOf: plain.asOf,
        at: plain.at,
        iat,
        exp: iat + 300,
        aud: 'shop',
        nonce: 'n-1',
      })
      expect(decodeProtectedHeader(response.body)).toMatchObject({ alg, typ: 'verdict+jwt' })
      await server.close()
    },
  )

  test('comes by the header too, by POST as well, and is the verdict of each policy and subject', async () => {
    const byHeader = await app.inject({ url: path, headers: jose })
    const posted = await signsAll.inject({
      method: 'POST',
      url: '/scan/gate?aud=shop',
      headers: { ...jose, 'content-type': 'application/json' },
      payload: JSON.stringify({ policy: { not: kyc }, subjects: [recipient] }),
    })
    const keys = await keySet()
    const [one, two] = await Promise.all([byHeader, posted].map(({ body }) => jwtVerify(body, keys)))
    expect(one?.payload).toMatchObject({ verdict: 'allow', policy: 'kyc' })
    expect(one?.payload).not.toHaveProperty('aud')
    expect(two?.payload).toMatchObject({ verdict: 'deny', policy: null, aud: 'shop' })
    expect(two?.payload['policyHash']).not.toBe(one?.payload['policyHash'])
    const denied = await app.inject({ url: `/scan/gate/kyc/${nobody}`, headers: jose })
    expect((await jwtVerify(denied.body, keys)).payload).toMatchObject({ verdict: 'deny' })
    expect(
      (await app.inject({ url: path, headers: { accept: 'application/json, */*' } })).json(),
    ).toMatchObject({
      message: 'ok',
    })
  })

  test('is refused by a reader for another key, another audience, after its time, and where it was altered', async () => {
    const { body } = await app.inject(`${path}?signed=true&aud=shop`)
    const keys = await keySet()
    await expect(jwtVerify(body, await keySet(other))).rejects.toThrow(errors.JWKSNoMatchingKey)
    await expect(jwtVerify(body, keys, { audience: 'bank' })).rejects.toThrow(errors.JWTClaimValidationFailed)
    const later = new Date(nowMs + 301_000)
    await expect(jwtVerify(body, keys, { currentDate: later })).rejects.toThrow(errors.JWTExpired)
    const [head, claims = '', signature] = body.split('.')
    const altered = Buffer.from(claims, 'base64url').toString().replace('"allow"', '"deny"')
    expect(altered).toContain('"deny"')
    const forged = [head, Buffer.from(altered).toString('base64url'), signature].join('.')
    await expect(jwtVerify(forged, keys)).rejects.toThrow(errors.JWSSignatureVerificationFailed)
  })

  test('is of the newest state: a request for a past state is not signed', async () => {
    const post = (payload: object, url = '/scan/gate?signed=true') =>
      signsAll.inject({ method: 'POST', url, headers: { 'content-type': 'application/json' }, payload })
    const subjects = [recipient]
    const { asOf, at } = (await post({ policy: 'kyc', subjects }, '/scan/gate')).json<{
      data: { asOf: unknown; at: number }
    }>().data
    const answers = await Promise.all([
      signsAll.inject(`${path}?signed=true&asOf=1700000000`),
      signsAll.inject({ url: `${path}?asOf=1700000000`, headers: jose }),
      signsAll.inject(`${path}?signed=true&asOf=11155111:100000`),
      post({ policy: 'kyc', subjects, asOf: '1700000000' }),
      post({ policy: 'kyc', subjects, asOf: '11155111:100000' }),
      post({ policy: 'kyc', subjects, asOf, at }),
      post({ policy: 'kyc', subjects, asOf, at: at - 1_000_000 }),
      post({ policy: kyc, subjects, asOf, at }),
    ])
    const told = answers.map((answer) => [answer.statusCode, answer.json<{ message: string }>().message])
    const refusal =
      'A signed verdict is of the newest state; leave out asOf and at, or ask for the verdict unsigned.'
    expect(told).toEqual(answers.map(() => [400, refusal]))
  })

  test('is of a policy of the configuration, unless that says otherwise', async () => {
    const ask = (server: typeof app, policy: unknown) =>
      server.inject({
        method: 'POST',
        url: '/scan/gate',
        headers: { ...jose, 'content-type': 'application/json' },
        payload: JSON.stringify({ policy, subjects: [recipient] }),
      })
    // The same policy as the named one, a policy that names it, and one that lets everybody through.
    for (const policy of [kyc, { policy: 'kyc' }, { not: { not: kyc } }]) {
      expect((await ask(app, policy)).json()).toMatchObject({
        message:
          'This server signs verdicts of its own policies only; policy must be a name of /scan/policies.',
      })
      const { payload } = await jwtVerify((await ask(signsAll, policy)).body, await keySet(signsAll))
      expect(payload['policy']).toBeNull()
    }
    const { payload } = await jwtVerify((await ask(app, 'kyc')).body, await keySet())
    expect(payload['policy']).toBe('kyc')
  })

  test('has the nonce of its own request, also if two requests come at once', async () => {
    const [one, two] = await Promise.all(
      ['a', 'b'].map((nonce) => app.inject(`${path}?signed=true&nonce=${nonce}`)),
    )
    const keys = await keySet()
    expect((await jwtVerify(one?.body ?? '', keys)).payload['nonce']).toBe('a')
    expect((await jwtVerify(two?.body ?? '', keys)).payload['nonce']).toBe('b')
  })

  test('is believed with the keys at the place where libraries look for them', async () => {
    const server = open(p256)
    const port = await listenLocally(server)
    const url = new URL(`http://127.0.0.1:${port}/.well-known/jwks.json`)
    const token = await (await fetch(`http://127.0.0.1:${port}${path}`, { headers: jose })).text()
    expect((await jwtVerify(token, createRemoteJWKSet(url))).payload).toMatchObject({ verdict: 'allow' })
    const keys = (await (await fetch(url)).json()) as { readonly keys: readonly object[] }
    expect(Object.keys(keys.keys[0] ?? {}).toSorted()).toEqual(['alg', 'crv', 'kid', 'kty', 'use', 'x', 'y'])
    await server.close()
  })

  test('is not given by a server without a key, for several subjects, and with claims but without the wish', async () => {
    const refusal = async (server: typeof app, url: string, payload?: object) => {
      const response = await server.inject(payload === undefined ? url : { method: 'POST', url, payload })
      return [response.statusCode, response.json<{ message: string }>().message]
    }
    const noKey = 'This server signs no verdicts; its configuration has no key under server.gate.'
    expect(await refusal(unsigned, `${path}?signed=true`)).toEqual([400, noKey])
    expect((await unsigned.inject('/.well-known/jwks.json')).json()).toEqual({ keys: [] })
    expect(
      await refusal(app, '/scan/gate?signed=true', { policy: 'kyc', subjects: [recipient, nobody] }),
    ).toEqual([400, 'A signed verdict is of one subject; subjects has 2.'])
    expect(await refusal(app, `${path}?nonce=1`)).toEqual([
      400,
      'nonce is a claim of a signed verdict; send it with signed=true or signed=eip712.',
    ])
    expect(await refusal(app, `${path}?signed=true&aud=${'x'.repeat(257)}`)).toEqual([
      400,
      'aud must be a text of at most 256 characters; it has 257.',
    ])
  })
})

describe('a key', () => {
  const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const secp256k1 = generateKeyPairSync('ec', { namedCurve: 'secp256k1' })
  test.each([
    ['no PEM', 'secret', 'has no such line'],
    ['a key of RSA', pemOf(rsa), 'is one of rsa'],
    ['a key of another curve', pemOf(secp256k1), 'is one of ec (secp256k1)'],
    [
      'a key in the form of SEC 1',
      String(secp256k1.privateKey.export({ type: 'sec1', format: 'pem' })),
      'begins with EC PRIVATE KEY; openssl pkcs8 -topk8 -nocrypt makes one of it',
    ],
    ['a public key', String(rsa.publicKey.export({ type: 'spki', format: 'pem' })), 'begins with PUBLIC KEY'],
    ['a key that is cut off', ed25519.slice(0, 60), 'cannot be read: the text is cut off or changed'],
  ])('cannot be %s', (_, text, reason) => {
    expect(readSigningKey(text)).toEqual({
      wrong: `must be a private key of Ed25519 or P-256 as PKCS#8 in PEM (-----BEGIN PRIVATE KEY-----), but ${reason}`,
    })
  })

  test('may come from a file of Windows, or from a variable with \\n for the ends of lines', () => {
    const { kid } = keyOf(ed25519).publicJwk
    expect(keyOf(`\uFEFF${ed25519.replaceAll('\n', '\r\n')}`).publicJwk.kid).toBe(kid)
    expect(keyOf(ed25519.trim().replaceAll('\n', '\\n')).publicJwk.kid).toBe(kid)
  })
})
