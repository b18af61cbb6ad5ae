import { generateKeyPairSync } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { SignJWT } from 'jose'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createSqliteTestStore } from '@attestry/test/harness/sqliteTestStore.ts'
import { createServer } from '@attestry/server/testing/createServer.ts'
import { createPolicies } from '../gate/gatePolicies.ts'
import { readSigningKey, type SigningKey } from '../gate/readSigningKey.ts'
import { listenLocally } from '@attestry/server/pipeline/testing/sendRaw.ts'
import { formatCompositeId } from '@attestry/core/model/compositeId.ts'
import { unixMilliseconds, unixSeconds } from '@attestry/core/model/time.ts'
import { openSqliteReader } from '@attestry/store/sqlite/openSqliteReader.ts'
import { openSqliteWriter } from '@attestry/store/sqlite/openSqliteWriter.ts'
import { generateBlocks, type GeneratedBlock, type Step } from '@attestry/store/testing/generatedChain.ts'
import { batchOf, identityOf } from '@attestry/store/testing/storeFactory.ts'
import { exitCodeOf } from '@attestry/attestry/runCli.ts'
import { runCheckVerdict, type CheckVerdictFlags } from './runCheckVerdict.ts'

const life: readonly Step[] = Array.from({ length: 40 }, (_, index) => {
  return { kind: index === 0 ? 0 : 15, gap: 2, who: index % 4, whom: 3, what: index === 0 ? 0 : 40, text: 3 }
})
const blocks = generateBlocks(5, [], life, 'a')
const newest = blocks.at(-1)
if (newest === undefined) throw new Error('a chain has blocks')
/** Another chain that took the same number. */
const foreign = generateBlocks(5, [], life, 'b')

const made = blocks.flatMap(({ events }) => events).filter((event) => event.kind === 'attestationMade')
const held = made.findLast(({ attestation }) => attestation.protocol === 'sign')?.attestation
const [first] = held?.recipients ?? []
if (held === undefined || first?.kind !== 'address') throw new Error('no account holds an attestation')
const subject = first.address
const policy = {
  holds: {
    schema: formatCompositeId({ chainId: 5, localId: held.schemaLocalId }),
    attester: [held.attester],
  },
}
const lacking = blocks.map((block) => ({
  ...block,
  events: block.events.filter((event) => event.kind !== 'attestationMade'),
}))

const nowSeconds = newest.timestamp + 5
const pem = String(generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }))
const signingKey = keyOf(pem)
const closers: (() => Promise<void>)[] = []
const folder = createSqliteTestStore({ rankThreshold: 4 })

/** The URL of an index over blocks of chain 5. */
async function openIndex(
  of: readonly GeneratedBlock[],
  options: { policies?: object; inline?: boolean } = {},
) {
  const store = createSqliteTestStore({ rankThreshold: 4 })
  const writer = openSqliteWriter(store.path)
  await writer.openChain(identityOf(5))
  await writer.applyBlocks(5, batchOf(of))
  await writer.close()
  const reader = openSqliteReader(store.path)
  const server = createServer({
    reader,
    signingKey,
    now: () => unixMilliseconds(nowSeconds * 1000),
    policies: createPolicies({ ...options.policies }, options.inline ?? true, true),
  })
  const port = await listenLocally(server)
  closers.push(async () => {
    await server.close()
    await reader.close()
    await store.remove()
  })
  return `http://127.0.0.1:${port}`
}

let signer = ''
let agreeing = ''
let verdict = ''
let keys = ''

async function fetchVerdict(path = `kyc/${subject}?signed=true&aud=shop&nonce=n-1`): Promise<string> {
  const response = await fetch(`${signer}/scan/gate/${path}`)
  expect(response.status).toBe(200)
  return response.text()
}

beforeAll(async () => {
  signer = await openIndex(blocks, {
    policies: { kyc: policy, both: { any: [{ policy: 'kyc' }], maxStaleness: '1h' } },
  })
  agreeing = await openIndex(blocks)
  verdict = await fetchVerdict()
  keys = join(folder.folder, 'jwks.json')
  writeFileSync(keys, await (await fetch(`${signer}/.well-known/jwks.json`)).text())
})
afterAll(async () => {
  for (const close of closers) await close()
  await folder.remove()
})

/** The exit code of the command, the sentence of its error, and its lines. */
async function check(text: string, flags: CheckVerdictFlags, now = nowSeconds) {
  const lines: string[] = []
  const write = (line: string) => Promise.resolve(void lines.push(line))
  const input = { name: 'verdict.jws', text }
  try {
    await runCheckVerdict(input, flags, write, new AbortController().signal, now)
    return { code: 0, message: '', lines }
  } catch (error) {
    return { code: exitCodeOf(error), message: (error as Error).message, lines }
  }
}

describe('an index', () => {
  test('agrees that has the same records, long afterwards too, though it has no policy of the name', async () => {
    const at = unixSeconds(newest.timestamp)
    const found = await check(verdict, { url: agreeing, keys: signer, audience: 'shop', nonce: 'n-1' })
    expect(found).toMatchObject({ code: 0 })
    expect(found.lines[1]).toMatch(/^ {2}allow for 0x\w{40} by the policy \w{64}$/)
    expect(found.lines[2]).toContain(`as of block ${newest.number} of chain 5 (${newest.hash})`)
    expect(found.lines[3]).toMatch(/ agrees: allow$/)
    const later = await check(
      verdict,
      { url: agreeing, keys, expired: true, policy: policyFile(policy) },
      at + 9_999,
    )
    expect(later).toMatchObject({ code: 0 })
    expect(await check(`\uFEFF${verdict}\r\n`, { url: signer })).toMatchObject({ code: 0 })
  })

  test('is asked in the state of the verdict, also if it has indexed more since', async () => {
    const url = await openIndex([...blocks, ...laterBlocks()])
    expect(await check(verdict, { url, keys })).toMatchObject({
      code: 4,
      message: expect.stringContaining('--policy'),
    })
    expect(await check(verdict, { url, keys, policy: policyFile(policy) })).toMatchObject({ code: 0 })
    // By now, the same index would not let the subject in.
    const now = await fetch(`${url}/scan/gate`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ policy, subjects: [subject], asOf: `5:${newest.number + 1}` }),
    })
    expect(await now.json()).toMatchObject({ data: { rows: [{ verdict: 'deny' }] } })
  })

  test('disagrees that lacks the record, or has another block in its place', async () => {
    const url = await openIndex(lacking)
    const found = await check(verdict, { url, keys: signer })
    expect(found.code).toBe(3)
    expect(found.message).toMatch(
      / disagrees: in the same state, its verdict is deny: The subject holds no valid/,
    )
    const other = await check(verdict, { url: await openIndex(foreign), keys: signer })
    expect(other.code).toBe(3)
    expect(other.message).toMatch(/ disagrees: Block \d+ of chain 5 has the hash 0x\w+ here, not 0x\w+\.$/)
  })

  test('is reported as behind before it has the block, and cannot judge without the chain', async () => {
    const behind = await check(verdict, { url: await openIndex(blocks.slice(0, 60)), keys: signer })
    expect(behind.code).toBe(4)
    expect(behind.message).toMatch(/ is behind: Block \d+ of chain 5 is not indexed yet/)
    const elsewhere = createServer({ reader: openSqliteReader(folder.path) })
    const url = `http://127.0.0.1:${await listenLocally(elsewhere)}`
    const other = await check(verdict, { url, keys: signer })
    await elsewhere.close()
    expect(other).toMatchObject({ code: 4, message: expect.stringMatching(/Chain 5 is not indexed here/) })
    expect(await check(verdict, { url, keys })).toMatchObject({
      code: 4,
      message: expect.stringMatching(/does not answer/),
    })
  })

  test('that evaluates only named policies is asked by its own name of the policy', async () => {
    const named = await openIndex(blocks, { policies: { members: policy }, inline: false })
    expect(await check(verdict, { url: named, keys })).toMatchObject({ code: 0 })
    const none = await openIndex(blocks, { inline: false })
    expect(await check(verdict, { url: none, keys: signer })).toMatchObject({
      code: 4,
      message: expect.stringContaining('policy must be the name of a policy'),
    })
  })

  test('judges a policy of names by the policies behind the names', async () => {
    const both = await fetchVerdict(`both/${subject}?signed=true`)
    expect(await check(both, { url: agreeing, keys: signer })).toMatchObject({ code: 0 })
    expect(
      await check(both, { url: agreeing, keys, policy: policyFile({ any: [policy], maxStaleness: '1h' }) }),
    ).toMatchObject({ code: 0 })
  })
})

describe('a verdict does not hold', () => {
  test.each<[string, CheckVerdictFlags, RegExp]>([
    ['for another audience', { audience: 'bank' }, /^The verdict is for "shop", not for "bank"$/],
    [
      'in answer to another request',
      { nonce: 'n-2' },
      /has the nonce "n-1", not "n-2": it answers another request$/,
    ],
    [
      'of another policy',
      { policy: 'other' },
      /^The verdict is of another policy: \w{64}, while .* is \w{64}$/,
    ],
  ])('%s', async (_, flags, message) => {
    const file = flags.policy === undefined ? {} : { policy: policyFile({ not: policy }) }
    const found = await check(verdict, { url: signer, ...flags, ...file })
    expect(found).toMatchObject({ code: 1, message: expect.stringMatching(message) })
  })

  test('after its time, or where it says to be signed in the future', async () => {
    const found = await check(verdict, { url: signer }, nowSeconds + 300)
    expect(found).toMatchObject({
      code: 1,
      message: expect.stringMatching(/^The verdict held until 20.*Z; --expired/),
    })
    const early = await check(verdict, { url: signer }, nowSeconds - 61)
    expect(early).toMatchObject({ code: 1, message: expect.stringMatching(/ which is yet to come$/) })
  })

  test('as of a time long before it was signed', async () => {
    const claims = JSON.parse(Buffer.from(verdict.split('.')[1] ?? '', 'base64url').toString()) as {
      at: number
    }
    const past = await new SignJWT({ ...claims, at: claims.at - 61 })
      .setProtectedHeader({ alg: 'EdDSA', kid: signingKey.publicJwk.kid, typ: 'verdict+jwt' })
      .sign(signingKey.key)
    expect(await check(past, { url: signer })).toMatchObject({
      code: 1,
      message: expect.stringMatching(/^The verdict is as of 20.*Z, although it was signed at 20/),
    })
  })

  test('that was altered, is unsigned, or is signed by another key', async () => {
    const [head = '', claims = '', signature = ''] = verdict.split('.')
    const denied = Buffer.from(claims, 'base64url').toString().replace('"allow"', '"deny"')
    const forged = [head, Buffer.from(denied).toString('base64url'), signature].join('.')
    expect(await check(forged, { url: signer })).toMatchObject({
      code: 1,
      message: 'The signature of the verdict is wrong: the verdict was altered',
    })
    const { privateKey } = generateKeyPairSync('ed25519')
    const body = JSON.parse(Buffer.from(claims, 'base64url').toString()) as Record<string, unknown>
    const stranger = await new SignJWT(body)
      .setProtectedHeader({ alg: 'EdDSA', kid: 'stranger', typ: 'verdict+jwt' })
      .sign(privateKey)
    expect(await check(stranger, { url: signer })).toMatchObject({
      code: 1,
      message: expect.stringMatching(/^The verdict is signed by another key than those of 127\.0\.0\.1:\d+$/),
    })
    const none = Buffer.from('{"alg":"none"}').toString('base64url')
    expect(await check(`${none}.${claims}.${signature}`, { url: signer })).toMatchObject({ code: 1 })
  })
})

test('a file that is no verdict is a mistake of the call (exit code 2)', async () => {
  expect(await check('hello', { url: signer })).toMatchObject({
    code: 2,
    message: 'verdict.jws is no signed verdict: a compact JWS has three parts with dots between them',
  })
  const token = await new SignJWT({ sub: 'somebody' })
    .setProtectedHeader({ alg: 'EdDSA', kid: signingKey.publicJwk.kid, typ: 'JWT' })
    .sign(signingKey.key)
  expect(await check(token, { url: signer })).toMatchObject({
    code: 2,
    message: 'verdict.jws is signed, but no verdict',
  })
  expect(await check(verdict, { url: 'nowhere' })).toMatchObject({ code: 2 })
  expect(await check(verdict, { url: signer, policy: join(folder.folder, 'none.yaml') })).toMatchObject({
    code: 2,
  })
  expect(await check(verdict, { url: signer, policy: policyFile({ holds: {} }) })).toMatchObject({ code: 2 })
})

test('an unknown verdict says nothing to agree with', async () => {
  const unknown = await fetch(`${signer}/scan/gate?signed=true`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ policy: { ...policy, maxStaleness: '1s' }, subjects: [subject] }),
  })
  expect(await check(await unknown.text(), { url: signer })).toMatchObject({
    code: 4,
    message: 'The verdict is unknown: it says nothing that an index could agree with',
  })
})

function keyOf(text: string): SigningKey {
  const key = readSigningKey(text)
  if ('wrong' in key) throw new Error(key.wrong)
  return key
}

let files = 0

function policyFile(content: object): string {
  const path = join(folder.folder, `policy-${++files}.json`)
  writeFileSync(path, JSON.stringify(content))
  return path
}

/** The next block, in which every attestation is revoked. */
function laterBlocks(): readonly GeneratedBlock[] {
  const revocations = made.map((_, what) => ({ kind: 2, gap: 0, who: 0, whom: 0, what, text: 0 }))
  return generateBlocks(5, blocks, revocations, 'a')
}
