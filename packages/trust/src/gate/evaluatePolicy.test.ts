import { describe, expect, test } from 'vitest'
import { checksumAddress } from '@attestry/core/model/checksumAddress.ts'
import type { LocalId } from '@attestry/core/model/compositeId.ts'
import { parseAddress, type Address } from '@attestry/core/model/hex.ts'
import type { StoredKey } from '@attestry/core/index/storedRecords.ts'
import { evaluatePolicy, judgementBytes, type Verdict } from './evaluatePolicy.ts'
import { listTerms } from './listTerms.ts'
import { parsePolicies, parsePolicy } from './parsePolicy.ts'
import { PolicyMistakes } from './policyMistakes.ts'

const subjects = [1, 2, 3].map((number) => addressOf(number))
const attester = addressOf(9)

const whole = (verdict: Verdict) => verdict

function addressOf(number: number): Address {
  const address = parseAddress(`0x${String(number).padStart(40, '0')}`)
  if (address === null) throw new Error('no address')
  return address
}

describe('a policy', () => {
  test('says which records decided, and why', async () => {
    const policy = parsePolicy(
      {
        all: [
          { holds: { schema: 'onchain_evm_10_0x8', attester, field: { level: { gte: 2 } }, maxAge: '365d' } },
          { not: { holds: { schema: 'onchain_evm_10_0x9', attester: 'any' } } },
        ],
      },
      {},
    )
    const key = { chainId: 10, localId: '0x5' as LocalId, protocol: 'sign' }
    const find = (has: readonly StoredKey[]) => ({
      findAttesters: () => Promise.resolve([]),
      doubtOf: () => null,
      find: ({ schema }: { readonly schema: { readonly localId: LocalId } }) =>
        Promise.resolve([String(schema.localId) === '0x8' ? has : []]),
    })
    const [subject = attester] = subjects
    const [judged, ...others] = await evaluatePolicy(policy, [subject], find([key]), whole)
    expect(others).toEqual([])
    expect(judged).toMatchObject({
      subject,
      verdict: 'allow',
      because: ['onchain_evm_10_0x5'],
      records: [key],
      reasons: [
        `The subject holds onchain_evm_10_0x5: valid attestation under onchain_evm_10_0x8 by ${checksumAddress(attester)}, with level gte 2, made in the last 365 days.`,
        'The subject holds no valid attestation under onchain_evm_10_0x9 by anybody (attester: any).',
      ],
    })
    expect(judged && listTerms(judged.finding)).toEqual([
      { path: '', kind: 'all', truth: 'true', because: [], reason: '2 of 2 terms are true; 2 must be.' },
      {
        path: 'all[0]',
        kind: 'holds',
        truth: 'true',
        because: ['onchain_evm_10_0x5'],
        reason: expect.stringMatching(/^The subject holds onchain_evm_10_0x5: /),
      },
      { path: 'all[1]', kind: 'not', truth: 'true', because: [], reason: 'The term within must be false.' },
      {
        path: 'all[1].not',
        kind: 'holds',
        truth: 'false',
        because: [],
        reason: 'The subject holds no valid attestation under onchain_evm_10_0x9 by anybody (attester: any).',
      },
    ])
    expect(await evaluatePolicy(policy, [subject], find([]), whole)).toMatchObject([
      { verdict: 'deny', because: [] },
    ])
  })

  test('has the hash of its canonical JSON, independent of the order of members and of policy names', () => {
    const holds = { schema: 'onchain_evm_10_0x8', attester: [attester], maxAge: '1d' }
    const turned = { maxAge: '1d', attester: [attester], schema: 'onchain_evm_10_0x8' }
    const { hash } = parsePolicy({ any: [{ holds }] }, {})
    expect(parsePolicy({ any: [{ holds: turned }] }, {}).hash).toBe(hash)
    expect(parsePolicy({ any: [{ policy: 'kyc' }] }, { kyc: { holds } }).hash).toBe(hash)
    expect(parsePolicy({ any: [{ holds: { ...holds, maxAge: '2d' } }] }, {}).hash).not.toBe(hash)
    expect(hash).toMatch(/^[0-9a-f]{64}$/)
  })

  test('takes the least staleness of those that it names', () => {
    const holds = { schema: 'onchain_evm_10_0x8', attester: 'any' }
    const policies = parsePolicies({
      strict: { holds, maxStaleness: '1m' },
      both: { any: [{ policy: 'strict' }, { holds }], maxStaleness: '1h' },
      plain: { holds },
    })
    const bounds = [...policies].map(([name, { maxStaleness }]) => [name, maxStaleness])
    expect(bounds).toEqual([
      ['strict', 60],
      ['both', 60],
      ['plain', 600],
    ])
  })
})

describe('a mistake in a policy', () => {
  const holds = { schema: 'onchain_evm_10_0x8', attester: 'any' }
  test.each<[string, unknown, string]>([
    [
      'nothing',
      null,
      'policy must be an object with one of all, any, not, atLeast, policy, holds, but is null',
    ],
    ['no term', {}, 'policy must have exactly one of all, any, not, atLeast, policy, holds, but has none'],
    [
      'two terms',
      { all: [{ holds }], any: [{ holds }] },
      "policy must have exactly one of all, any, not, atLeast, policy, holds, but has 'all', 'any'",
    ],
    ['an empty list', { any: [] }, 'policy.any must be a list of one or more terms, but is an empty list'],
    ['a foreign member', { holds, of: [] }, 'policy.of is no member beside holds'],
    [
      'no attester',
      { all: [{ holds: { schema: 'onchain_evm_10_0x8' } }] },
      'policy.all[0].holds.attester must be a list of 1 to 100 addresses, an object with holds, or any: every account may attest under a schema, but is missing',
    ],
    [
      'no address',
      { holds: { ...holds, attester: ['0x12'] } },
      "policy.holds.attester[0] must be an address of 0x and 40 hexadecimal digits, but is '0x12'",
    ],
    [
      'no schema',
      { holds: { attester: 'any' } },
      'policy.holds.schema must be the composite id of a schema such as onchain_evm_10_0x8, or its local id beside chainId, but is missing',
    ],
    [
      'another chain',
      { holds: { ...holds, chainId: 1 } },
      'policy.holds.chainId must be 10, the chain of the schema, but is 1',
    ],
    [
      'a bare number of days',
      { holds: { ...holds, maxAge: 365 } },
      'policy.holds.maxAge must be a number and a unit (s, m, h, d, w) such as 365d, but is 365',
    ],
    [
      'an unknown operator',
      { holds: { ...holds, field: { level: { above: 2 } } } },
      'policy.holds.field.level.above is no operator; the operators are in, gt, gte, lt, lte, contains, startsWith',
    ],
    [
      'too many of',
      { atLeast: 3, of: [{ holds }] },
      'policy.atLeast must be a whole number from 1 to 1, the number of terms in of, but is 3',
    ],
    [
      'an unknown policy',
      { policy: 'kyc' },
      "policy.policy must be the name of a policy of the configuration (there are none), but is 'kyc'",
    ],
    [
      'no operator of a field',
      { holds: { ...holds, field: { level: {} } } },
      'policy.holds.field.level must be a value or have one of in, gt, gte, lt, lte, contains, startsWith, but is an empty object',
    ],
    [
      'no values of a field',
      { holds: { ...holds, field: { level: { in: [] } } } },
      'policy.holds.field.level.in must have one or more values, but is an empty list',
    ],
    [
      'more attesters than there are',
      { holds: { ...holds, attester: [attester], distinctAttesters: 2 } },
      'policy.holds.distinctAttesters must be at most 1, the number of attesters, but is 2',
    ],
  ])('is one sentence with its place: %s', (_, value, sentence) => {
    expect(() => parsePolicy(value, {})).toThrow(sentence)
  })

  test('is reported with all others', () => {
    const value = { all: [{ holds: { schema: 'x', attester: 'any' } }, { any: [] }] }
    expect(() => parsePolicy(value, {})).toThrow(
      /policy\.all\[0\]\.holds\.schema must .*; policy\.all\[1\]\.any must/,
    )
  })

  test('is reported only if it is among the first twenty', () => {
    const value = { any: Array.from({ length: 100_000 }, () => ({ holds: {} })) }
    let found: unknown = null
    try {
      parsePolicy(value, {})
    } catch (error) {
      found = error
    }
    expect(found).toBeInstanceOf(PolicyMistakes)
    expect((found as PolicyMistakes).mistakes.length).toBe(20)
    expect((found as PolicyMistakes).message.length).toBeLessThan(10_000)
  })

  test('is too many terms, counted before named policies stand in place of their names', () => {
    const ten = (name: string) => ({ any: Array.from({ length: 10 }, () => ({ policy: name })) })
    const first = { any: Array.from({ length: 10 }, () => ({ holds })) }
    const levels = Object.fromEntries(
      Array.from({ length: 40 }, (_, level) => [`p${level}`, level === 0 ? first : ten(`p${level - 1}`)]),
    )
    // Expanded, p39 has 10^40 terms.
    expect(() => parsePolicies(levels)).toThrow(
      'policies.p1.any has 100 terms with holds, policies that it names included; at most 64 are evaluated',
    )
    const seven = { any: Array.from({ length: 7 }, () => ({ policy: 'p0' })) }
    expect(() => parsePolicy(seven, { p0: first })).toThrow('policy.any has 70 terms with holds')
    expect(parsePolicy({ any: seven.any.slice(1) }, { p0: first }).chainIds).toEqual([10])
  })

  test('is a circle of names, also of oneself, and depth without end', () => {
    for (const policies of [
      { a: { policy: 'a' } },
      { a: { not: { policy: 'b' } }, b: { any: [{ policy: 'a' }] } },
    ]) {
      expect(() => parsePolicies(policies)).toThrow(PolicyMistakes)
      expect(() => parsePolicies(policies)).toThrow(/a circle has no verdict/)
    }
    let deep: unknown = { holds }
    for (let depth = 0; depth < 40; depth++) deep = { not: deep }
    expect(() => parsePolicy(deep, {})).toThrow('lies deeper than 16 terms')
  })
})

test('reasons that would be too long together are refused', async () => {
  const terms = Array.from({ length: 60 }, (_, number) => ({
    holds: { schema: 'onchain_evm_10_0x8', attester: 'any', maxAge: `${number + 1}d` },
  }))
  const policy = parsePolicy({ any: terms }, {})
  const nothing = {
    findAttesters: () => Promise.resolve([]),
    doubtOf: () => null,
    find: (_holds: unknown, asked: readonly Address[]) => Promise.resolve(asked.map(() => [])),
  }
  const many = Array.from({ length: 10_000 }, (_, number) => addressOf(number))
  const [denied] = await evaluatePolicy(policy, many.slice(0, 1_000), nothing, whole)
  expect(denied).toMatchObject({ verdict: 'deny', reasons: { length: 60 } })
  await expect(evaluatePolicy(policy, many, nothing, whole)).rejects.toThrow(
    'subjects: the reasons of the verdicts on 10,000 subjects would have more than 25,165,824 characters',
  )
})

test('subjects are judged in parts that hold few records at a time, and in their order', async () => {
  const holds = { schema: 'onchain_evm_10_0x8', attester: 'any', distinctAttesters: 50 }
  const policy = parsePolicy({ all: Array.from({ length: 10 }, () => ({ holds })) }, {})
  const asked: number[] = []
  const evidence = {
    findAttesters: () => Promise.resolve([]),
    doubtOf: () => null,
    find: (_holds: unknown, part: readonly Address[]) => {
      asked.push(part.length)
      return Promise.resolve(part.map(() => []))
    },
  }
  const many = Array.from({ length: 1_001 }, (_, number) => addressOf(number))
  const judged = await evaluatePolicy(policy, many, evidence, ({ subject }, index) => `${index} ${subject}`)
  expect(judged).toEqual(many.map((subject, index) => `${index} ${subject}`))
  expect(Math.max(...asked) * 10 * 50).toBeLessThanOrEqual(20_000)
})

test('a judgement is estimated by what its answer may say', () => {
  const holds = (distinctAttesters: number) => ({
    holds: { schema: 'onchain_evm_10_0x8', attester: 'any', distinctAttesters },
  })
  const small = parsePolicy(holds(1), {})
  const large = parsePolicy({ all: Array.from({ length: 10 }, () => holds(50)) }, {})
  expect(judgementBytes(small, 1)).toBeLessThan(2_000)
  expect(judgementBytes(small, 10_000)).toBeLessThan(16 * 1024 * 1024)
  expect(judgementBytes(large, 10_000)).toBe(3 * 24 * 1024 * 1024)
})
