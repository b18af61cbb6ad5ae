import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { checksumAddress } from '../../model/checksumAddress.ts'
import type { LocalId } from '../../model/compositeId.ts'
import { parseAddress, type Address } from '../../model/hex.ts'
import type { StoredKey } from '../../store/storedRecords.ts'
import { evaluatePolicy } from './evaluatePolicy.ts'
import { listTerms } from './listTerms.ts'
import { parsePolicies, parsePolicy } from './parsePolicy.ts'
import { PolicyMistakes } from './policyMistakes.ts'

const subjects = [1, 2, 3].map((number) => addressOf(number))
const attester = addressOf(9)

function addressOf(number: number): Address {
  const address = parseAddress(`0x${String(number).padStart(40, '0')}`)
  if (address === null) throw new Error('no address')
  return address
}

/** A policy of terms on schemas 0x1 to 0x6 of chains 1 and 2. */
type Written =
  | { readonly all: readonly Written[] }
  | { readonly any: readonly Written[] }
  | { readonly not: Written }
  | { readonly atLeast: number; readonly of: readonly Written[] }
  | { readonly holds: { readonly schema: string; readonly attester: readonly string[] } }

const { written } = fc.letrec<{ written: Written; terms: readonly Written[] }>((tie) => ({
  terms: fc.array(tie('written'), { minLength: 1, maxLength: 3 }),
  written: fc.oneof(
    { maxDepth: 3, depthSize: 'small' },
    fc.record({
      holds: fc.record({
        schema: fc
          .tuple(fc.constantFrom(1, 2), fc.integer({ min: 1, max: 6 }))
          .map(([chain, id]) => `onchain_evm_${chain}_0x${id}`),
        attester: fc.constant([attester]),
      }),
    }),
    fc.record({ all: tie('terms') }),
    fc.record({ any: tie('terms') }),
    fc.record({ not: tie('written') }),
    tie('terms').chain((of) =>
      fc.record({ atLeast: fc.integer({ min: 1, max: of.length }), of: fc.constant(of) }),
    ),
  ),
}))

/** Whether a subject passes, the plain way; both ways of each unknown term are tried. */
function passes(term: Written, holds: (schema: string) => boolean): boolean {
  if ('holds' in term) return holds(term.holds.schema)
  if ('not' in term) return !passes(term.not, holds)
  if ('all' in term) return term.all.every((each) => passes(each, holds))
  if ('any' in term) return term.any.some((each) => passes(each, holds))
  return term.of.filter((each) => passes(each, holds)).length >= term.atLeast
}

function chainsOf(term: Written): string[] {
  if ('holds' in term) return [term.holds.schema.split('_')[2] ?? '']
  if ('not' in term) return chainsOf(term.not)
  return ('all' in term ? term.all : 'any' in term ? term.any : term.of).flatMap(chainsOf)
}

describe('a policy', () => {
  test('is evaluated as the plain way does; a stale chain makes no deny, and no allow that depends on the chain', async () => {
    await fc.assert(
      fc.asyncProperty(
        written,
        fc.uniqueArray(
          fc.tuple(fc.nat(2), fc.constantFrom(1, 2), fc.integer({ min: 1, max: 6 })).map(String),
        ),
        fc.constantFrom(null, 1, 2),
        async (text, held, stale) => {
          const has = (subject: number, schema: string) => {
            const [, , chain, id] = schema.split('_')
            return held.includes(`${subject},${chain},${Number(id)}`)
          }
          const verdicts = await evaluatePolicy(parsePolicy(text, {}), subjects, {
            doubtOf: (chainId) => (chainId === stale ? `Chain ${chainId} is stale.` : null),
            find: (holds, asked) => {
              const { chainId, localId } = holds.schema
              const key: StoredKey = { chainId, localId: '0x7' as LocalId, protocol: 'sign' }
              return Promise.resolve(
                asked.map((_, index) => (has(index, `onchain_evm_${chainId}_${localId}`) ? [key] : [])),
              )
            },
          })
          for (const [index, { verdict, reasons }] of verdicts.entries()) {
            const isStale = stale !== null && chainsOf(text).includes(String(stale))
            // What the policy says, whatever the stale chain would say.
            const [least, most] = [false, true].map((answer) =>
              passes(text, (schema) =>
                schema.startsWith(`onchain_evm_${stale}_`) ? answer : has(index, schema),
              ),
            )
            const certain = least === true && most === true ? ['allow', 'unknown'] : ['unknown']
            const right = passes(text, (schema) => has(index, schema)) ? 'allow' : 'deny'
            expect(isStale ? certain : [right]).toContain(verdict)
            expect(verdict === 'unknown' ? reasons : [`Chain ${stale} is stale.`]).toEqual([
              `Chain ${stale} is stale.`,
            ])
          }
        },
      ),
      { numRuns: 500 },
    )
  })

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
      doubtOf: () => null,
      find: ({ schema }: { readonly schema: { readonly localId: LocalId } }) =>
        Promise.resolve([String(schema.localId) === '0x8' ? has : []]),
    })
    const [subject = attester] = subjects
    const [judged, ...others] = await evaluatePolicy(policy, [subject], find([key]))
    expect(others).toEqual([])
    expect(judged).toMatchObject({
      subject,
      verdict: 'allow',
      because: ['onchain_evm_10_0x5'],
      records: [key],
      reasons: [
        `The subject holds onchain_evm_10_0x5: valid attestation under onchain_evm_10_0x8 by ${checksumAddress(attester)}, with level gte 2, made in the last 365 days.`,
        'The subject holds no valid attestation under onchain_evm_10_0x9.',
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
        reason: 'The subject holds no valid attestation under onchain_evm_10_0x9.',
      },
    ])
    expect(await evaluatePolicy(policy, [subject], find([]))).toMatchObject([
      { verdict: 'deny', because: [] },
    ])
  })

  test('has the hash of its canonical JSON, whatever the order of its members and the names that it uses', () => {
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
      'policy.all[0].holds.attester must be a list of 1 to 100 addresses, or any: every account may attest under a schema, but is missing',
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

  test('is told with all others', () => {
    const value = { all: [{ holds: { schema: 'x', attester: 'any' } }, { any: [] }] }
    expect(() => parsePolicy(value, {})).toThrow(
      /policy\.all\[0\]\.holds\.schema must .*; policy\.all\[1\]\.any must/,
    )
  })

  test('is told among the first twenty, however many there are', () => {
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
