import { afterAll, describe, expect, test } from 'vitest'
import { unixMilliseconds, unixSeconds } from '@attestry/core/model/time.ts'
import { createServer } from '@attestry/server/testing/createServer.ts'
import { createSampleIndex, sampleChain } from '@attestry/server/pipeline/testing/sampleIndex.ts'
import { sampleAddress, sampleChainId, sampleHash } from '@attestry/server/pipeline/testing/sampleRecords.ts'
import { decodeAttestedPayload } from '@attestry/core/protocols/decodeAttestedPayload.ts'
import { listFieldPaths } from '@attestry/core/protocols/listFieldPaths.ts'
import type { WantedBlock } from '@attestry/core/index/indexQueries.ts'
import { openTestIndex } from '@attestry/server/pipeline/testing/testIndex.ts'
import { createPolicies } from './gatePolicies.ts'
import { sampleStateProver } from '../stateProofs/testing/sampleStateProver.ts'

const index = createSampleIndex()
const nowMs = 1_800_000_000_000
/** Long before. */
const lookedAt = unixMilliseconds(1_700_000_000_000)
index.chains = [sampleChain({ updatedAt: unixMilliseconds(nowMs - 30_000) })]
const [attester, recipient, nobody] = [2, 3, 4].map((number) => sampleAddress(number))
const schema = 'onchain_evm_11155111_0x1'
const kyc = { holds: { schema, attester: [attester] } }
const reader = openTestIndex(index)
const newest = { number: 100_000, hash: sampleHash(1), timestamp: 1_790_000_000 }
const options = {
  reader: {
    ...reader,
    // The sample remembers no blocks.
    findBlock: (chainId: number, wanted: WantedBlock) => {
      const isNewest = wanted === 'newest' || ('number' in wanted && wanted.number === newest.number)
      return Promise.resolve(chainId === sampleChainId && isNewest ? newest : null)
    },
    locateBlock: async (chainId: number, number: number) => {
      const located = await reader.locateBlock(chainId, number)
      const block = number === newest.number ? newest : null
      return located && { ...located, indexedBlock: newest.number, block }
    },
  },
  decodePayload: decodeAttestedPayload,
  listFieldPaths,
  now: () => unixMilliseconds(nowMs),
}
const app = createServer({
  ...options,
  stateProver: sampleStateProver,
  policies: createPolicies({ kyc, counted: { ...kyc, score: 'count' } }, true),
})
const reason = 'The endpoints of chain 11155111 disagree about block 99; it counts once two of them agree.'
const disputed = createServer({
  ...options,
  policies: createPolicies({ kyc }, true),
  readHeader: () => Promise.resolve({ kind: 'disputed', reason }),
})
const named = createServer({ ...options, policies: createPolicies({ kyc }, false) })
afterAll(async () => {
  await app.close()
  await named.close()
  await disputed.close()
})

interface Data {
  readonly rows: readonly {
    readonly subject: string
    readonly verdict: string
    readonly because: readonly string[]
  }[]
  readonly asOf: readonly { readonly chainId: string; readonly block: number | null }[]
  readonly policyHash: string
  readonly at: number
}

interface Answer {
  readonly statusCode: number
  readonly message: string
  readonly data: Data
}

async function get(url: string): Promise<Answer> {
  return (await app.inject(url)).json<Answer>()
}

async function post(body: unknown, server = app): Promise<Answer> {
  const headers = { 'content-type': 'application/json' }
  const payload = JSON.stringify(body)
  return (await server.inject({ method: 'POST', url: '/scan/gate', payload, headers })).json<Answer>()
}

async function verdictOf(policy: unknown, subject = recipient, asOf?: string): Promise<string | undefined> {
  const { data, message } = await post({
    policy,
    subjects: [subject],
    ...(asOf === undefined ? {} : { asOf }),
  })
  expect(message).toBe('ok')
  return data.rows[0]?.verdict
}

describe('the gate', () => {
  test('answers for an address and for many the same, with the records that decided', async () => {
    const single = await get(`/scan/gate/kyc/${recipient}`)
    const many = await post({ policy: 'kyc', subjects: [nobody, recipient] })
    expect(single.data.rows[0]).toMatchObject({ subject: recipient, verdict: 'allow' })
    expect(many.data.rows.map(({ verdict }) => verdict)).toEqual(['deny', 'allow'])
    expect(many.data.rows[1]).toEqual(single.data.rows[0])
    expect(many.data.policyHash).toBe(single.data.policyHash)
    expect(many.data.asOf).toMatchObject([{ chainId: '11155111' }])
    const [id] = many.data.rows[1]?.because ?? []
    const holders = await app.inject({
      method: 'POST',
      url: '/scan/holders',
      payload: { addresses: [recipient], schemaId: schema, attester },
    })
    expect(holders.json<{ data: { rows: unknown[] } }>().data.rows[0]).toMatchObject({ attestation: id })
  })

  test('evaluates policies of requests, with fields, ages and attesters', async () => {
    const other = { holds: { schema, attester: [nobody] } }
    expect(await verdictOf({ all: [{ policy: 'kyc' }, { not: other }] })).toBe('allow')
    expect(await verdictOf({ all: [{ policy: 'kyc' }, other] })).toBe('deny')
    expect(await verdictOf({ atLeast: 1, of: [other, kyc] })).toBe('allow')
    expect(await verdictOf({ holds: { schema, attester: 'any', recipient: 'attester' } }, attester)).toBe(
      'allow',
    )
    expect(await verdictOf({ holds: { schema, attester: 'any', recipient: 'attester' } })).toBe('deny')
    expect(await verdictOf({ holds: { ...kyc.holds, distinctAttesters: 1, maxAge: '1d' } })).toBe('deny')
    expect(await verdictOf({ holds: { ...kyc.holds, maxAge: '520w' } })).toBe('allow')
    expect(await verdictOf({ holds: { ...kyc.holds, field: { score: { gte: 258 } } } })).toBe('allow')
    expect(await verdictOf({ holds: { ...kyc.holds, field: { score: { gt: 258 } } } })).toBe('deny')
  })

  test('knows nothing of a chain that is stale or not indexed, and says why', async () => {
    const stale = { ...kyc, maxStaleness: '10s' }
    const { data } = await post({ policy: stale, subjects: [nobody, recipient] })
    expect(data.rows).toMatchObject([{ verdict: 'unknown' }, { verdict: 'unknown' }])
    expect(data.rows[0]).toMatchObject({
      reasons: ['The index of chain 11155111 is 30 s old; the policy takes at most 10 s.'],
    })
    const elsewhere = { holds: { schema: 'onchain_evm_10_0x1', attester: 'any' } }
    expect(await verdictOf(elsewhere)).toBe('unknown')
    expect(await verdictOf({ any: [kyc, elsewhere] })).toBe('allow')
    expect(await verdictOf({ any: [kyc, elsewhere] }, nobody)).toBe('unknown')
  })

  test('shows the result of each term on request', async () => {
    const elsewhere = { holds: { schema: 'onchain_evm_10_0x1', attester: 'any' } }
    const policy = { atLeast: 2, of: [kyc, elsewhere, { not: kyc }] }
    const { data } = await post({ policy, subjects: [recipient], explain: true })
    expect(data.rows[0]).toMatchObject({
      verdict: 'unknown',
      terms: [
        {
          path: '',
          kind: 'atLeast',
          truth: 'unknown',
          reason: '1 of 3 terms are true, 1 not known; 2 must be.',
        },
        { path: 'of[0]', kind: 'holds', truth: 'true', because: [expect.stringMatching(/^onchain_evm_/)] },
        { path: 'of[1]', kind: 'holds', truth: 'unknown', reason: 'Chain 10 is not indexed here.' },
        { path: 'of[2]', kind: 'not', truth: 'false', because: [] },
        { path: 'of[2].not', kind: 'holds', truth: 'true' },
      ],
    })
    expect((await post({ policy: kyc, subjects: [recipient], explain: 'yes' })).message).toBe(
      "explain must be true or false; it was 'yes'.",
    )
    const many = Array.from({ length: 101 }, () => recipient)
    expect((await post({ policy: kyc, subjects: many, explain: true })).message).toBe(
      'explain is for at most 100 subjects; there are 101.',
    )
  })

  test('judges again in the state of an answer', async () => {
    const { data } = await post({ policy: kyc, subjects: [recipient] })
    const body = { policy: kyc, subjects: [recipient] }
    const again = await post({ ...body, asOf: data.asOf, at: data.at })
    expect(again.data).toEqual({ ...data, asOf: again.data.asOf })
    expect((await post({ ...body, asOf: data.asOf })).message).toBe(
      'at must be the Unix seconds of the answer that the list asOf is of.',
    )
    expect((await post({ ...body, at: 5 })).message).toBe('at goes with the list asOf of the same answer.')
    expect((await post({ ...body, asOf: [], at: data.at })).message).toBe(
      'asOf must name a block of chain 11155111, which the policy needs.',
    )
    expect((await post({ ...body, asOf: [{ chainId: 7 }], at: data.at })).message).toBe(
      'asOf[0] must be an object with chainId, block and hash as answers have them.',
    )
  })

  test('answers as of a time, and refuses blocks that are not indexed', async () => {
    const first = 1_500_000_000
    expect(await verdictOf('kyc', recipient, String(first))).toBe('deny')
    index.chains = [sampleChain({ indexedTimestamp: unixSeconds(1_790_000_000), updatedAt: lookedAt })]
    index.version++
    expect(await verdictOf('kyc', recipient, '1789999999')).toBe('allow')
    expect(await verdictOf('kyc', recipient, '1795000000')).toBe('unknown')
    // An idle chain, whose head was looked at a moment ago.
    index.chains = [sampleChain({ updatedAt: unixMilliseconds(nowMs - 1_000) })]
    index.version++
    expect(await verdictOf('kyc', recipient, '1795000000')).toBe('allow')
    index.chains = [sampleChain({ indexedTimestamp: unixSeconds(1_790_000_000), updatedAt: lookedAt })]
    index.version++
    const refused = await post({ policy: 'kyc', subjects: [recipient], asOf: '11155111:99999999' })
    expect([refused.statusCode, refused.message]).toEqual([
      409,
      expect.stringMatching(
        /^Block 99999999 of chain 11155111 is not indexed yet; the newest indexed block is [0-9]+\.$/,
      ),
    ])
    const other = await post({ policy: 'kyc', subjects: [recipient], asOf: `11155111:0x${'ab'.repeat(32)}` })
    expect(other.statusCode).toBe(412)
    expect(await verdictOf('kyc', recipient, '11155111:100000')).toBe('allow')
    const old = await post({ policy: 'kyc', subjects: [recipient], asOf: '11155111:5' })
    expect(old.message).toBe(
      'The time of block 5 of chain 11155111 is no longer kept; give asOf as the time of the block in Unix seconds.',
    )
  })

  test.each([
    [
      { policy: 'nobody', subjects: [nobody] },
      404,
      "There is no policy 'nobody'; the policies here are kyc, counted.",
    ],
    [
      { policy: {}, subjects: [nobody] },
      400,
      'policy must have exactly one of all, any, not, atLeast, policy, holds, but has none.',
    ],
    [{ policy: 'kyc', subjects: [] }, 400, 'subjects must be a list of 1 to 10,000 addresses; it has 0.'],
    [
      { policy: 'kyc', subjects: [nobody], asOf: 'now' },
      400,
      "asOf must be <chainId>:<block number>, <chainId>:<block hash> or Unix seconds; it was 'now'.",
    ],
    [
      { policy: 'kyc', subjects: [nobody], asOf: '5:1' },
      400,
      'asOf must name an indexed chain; chain 5 is not indexed here.',
    ],
    [
      { policy: { holds: { ...kyc.holds, field: { nothing: 1 } } }, subjects: [nobody] },
      400,
      expect.stringMatching(/^field\[nothing\] is no field of the schema/),
    ],
  ])('refuses %j', async (body, statusCode, message) => {
    const answer = await post(body)
    expect([answer.statusCode, answer.message]).toEqual([statusCode, message])
  })

  test('evaluates named policies alone where the configuration says so', async () => {
    expect((await post({ policy: 'kyc', subjects: [nobody] }, named)).statusCode).toBe(200)
    expect((await post({ policy: kyc, subjects: [nobody] }, named)).message).toBe(
      'policy must be the name of a policy: this server evaluates no others.',
    )
  })

  test('scores voters as the strategy api-post of Snapshot asks', async () => {
    const body = { options: { x: 1 }, network: '11155111', addresses: [nobody, recipient] }
    const ask = async (name: string, snapshot: unknown) => {
      const payload = { ...body, snapshot }
      const response = await app.inject({ method: 'POST', url: `/snapshot/${name}`, payload })
      return [response.statusCode, response.json<unknown>()]
    }
    const score = [
      { address: nobody, score: 0 },
      { address: recipient, score: 1 },
    ]
    index.chains = [sampleChain({ indexedTimestamp: unixSeconds(1_790_000_000), updatedAt: lookedAt })]
    index.version++
    expect(await ask('kyc', 100_000)).toEqual([200, { score }])
    expect(await ask('counted', '100000')).toEqual([200, { score }])
    // Its index is too old by now.
    expect(await ask('kyc', 'latest')).toMatchObject([
      503,
      { message: expect.stringMatching(/ s old; /) as string },
    ])
    expect(await ask('kyc', 5)).toMatchObject([400, {}])
    expect(await ask('other', 5)).toMatchObject([404, {}])
  })
})

test('a block that the endpoints disagree about gives no verdict, no score and no list', async () => {
  const hash = sampleHash(99)
  const answers = await Promise.all([
    disputed.inject(`/scan/gate/kyc/${recipient}?asOf=11155111:99`),
    disputed.inject(`/scan/gate/kyc/${recipient}?asOf=11155111:${hash}`),
    disputed.inject({
      method: 'POST',
      url: '/snapshot/kyc',
      headers: { 'content-type': 'application/json' },
      payload: { network: '11155111', snapshot: 99, addresses: [recipient] },
    }),
    disputed.inject('/scan/attestations?asOf=11155111:99'),
  ])
  for (const answer of answers) {
    expect([answer.statusCode, answer.json<{ message: string }>().message]).toEqual([503, reason])
  }
  expect((await disputed.inject(`/scan/gate/kyc/${recipient}`)).statusCode).toBe(200)
})

test('the records that decided are proven where that is asked for', async () => {
  const ask = async (server: typeof app, more: object) => {
    const payload = { policy: 'kyc', subjects: [recipient, nobody], prove: true, ...more }
    const response = await server.inject({ method: 'POST', url: '/scan/gate', payload })
    return response.json<{ message: string; data: { rows: { because: string[] }[]; proofs?: unknown[] } }>()
  }
  index.chains = [sampleChain({ updatedAt: unixMilliseconds(nowMs - 30_000) })]
  const { data } = await ask(app, {})
  const ids = [...new Set(data.rows.flatMap(({ because }) => because))]
  expect(ids).not.toEqual([])
  expect(data.proofs).toMatchObject(
    ids.map((id) => ({ id, proof: { says: { exists: true } }, proofError: null })),
  )
  expect((await ask(named, {})).data.proofs).toMatchObject(
    ids.map((id) => ({
      id,
      proof: null,
      proofError: expect.stringContaining('connected to no chain') as unknown,
    })),
  )
  expect((await ask(app, { prove: false })).data).not.toHaveProperty('proofs')
  expect((await ask(app, { prove: 1 })).message).toMatch(/^prove must be true or false/)
  expect((await ask(app, { asOf: '11155111:1' })).message).toMatch(/^prove goes without asOf/)
  expect((await ask(app, { subjects: Array.from({ length: 6 }, () => nobody) })).message).toMatch(/at most 5/)
})
