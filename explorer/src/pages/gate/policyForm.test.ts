import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  conditionOf,
  emptyCondition,
  freeOperators,
  lackOf,
  readPolicyForm,
  termAt,
  writePolicy,
  type Condition,
  type PolicyForm,
} from './policyForm.ts'

const schema = 'onchain_evm_1_0x1'

describe('the form of a policy', () => {
  test('reads what documentation shows, and writes it back', () => {
    const rule = {
      all: [
        { holds: { schema, attester: ['0xa'], field: { level: { gte: 2 }, country: 'FR' }, maxAge: '365d' } },
        { not: { holds: { schema: 'onchain_evm_1_0x2', attester: 'any', distinctAttesters: 2 } } },
      ],
      maxStaleness: '10m',
    }
    const form = readPolicyForm(rule)
    expect(form).toMatchObject({ match: 'all', conditions: [{ isHeld: true }, { isHeld: false }] })
    expect(form?.conditions[0]?.fields).toEqual([
      { path: 'level', operator: 'gte', value: '2' },
      { path: 'country', operator: 'equals', value: 'FR' },
    ])
    expect(form && writePolicy(form)).toEqual(rule)
  })

  test.each([
    [{}],
    [{ all: [] }],
    [{ policy: 'kyc' }],
    [{ all: [{ all: [{ holds: { schema, attester: 'any' } }] }] }],
    [{ atLeast: 1, of: [{ holds: { schema, attester: 'any' } }] }],
    [{ holds: { schema, attester: 'any' }, score: 'count' }],
    [{ holds: { schema, attester: { holds: { schema } } } }],
    [{ holds: { schema, attester: 'any', recipient: 'attester' } }],
    [{ holds: { schema, attester: 'any', field: { level: { in: [1, 2] } } } }],
    [{ holds: { schema: 1, attester: 'any' } }],
    [{ holds: { schema, attester: 'any' }, maxStaleness: 5 }],
  ])('leaves %j to JSON', (rule) => {
    expect(readPolicyForm(rule)).toBeNull()
  })

  test('writes back every form', () => {
    const value = fc.oneof(fc.stringMatching(/^[a-z0-9-]{1,8}$/), fc.integer().map(String))
    const field = fc.record({
      path: fc.stringMatching(/^[a-z]{1,3}$/),
      operator: fc.constantFrom('equals', 'gt', 'gte', 'lt', 'lte', 'contains', 'startsWith'),
      value,
    })
    const condition: fc.Arbitrary<Condition> = fc.record({
      isHeld: fc.boolean(),
      schema: fc.constant(schema),
      protocol: fc.option(fc.constant('eas'), { nil: undefined }),
      attesters: fc.oneof(fc.constant('any' as const), fc.array(fc.stringMatching(/^0x[0-9a-f]{4}$/))),
      fields: fc.uniqueArray(field, { maxLength: 3, selector: ({ path }) => path }),
      maxAge: fc.option(fc.constant('30d'), { nil: undefined }),
      distinctAttesters: fc.option(fc.integer({ min: 1, max: 5 }), { nil: undefined }),
    })
    const form: fc.Arbitrary<PolicyForm> = fc.record({
      match: fc.constantFrom('all', 'any'),
      conditions: fc.array(condition, { minLength: 1, maxLength: 3 }),
      maxStaleness: fc.option(fc.constant('10m'), { nil: undefined }),
    })
    fc.assert(
      fc.property(form, (written) => {
        // A text of JSON has no undefined members.
        const rule = JSON.parse(JSON.stringify(writePolicy(written))) as Record<string, unknown>
        expect(readPolicyForm(rule)).toEqual(written)
      }),
    )
  })

  test('joins two conditions on one field', () => {
    const fields = [
      { path: 'level', operator: 'gte', value: '2' },
      { path: 'level', operator: 'lt', value: '9' },
    ] as const
    const condition: Condition = { ...emptyCondition, schema, attesters: ['0xa'], fields }
    expect(writePolicy({ match: 'all', conditions: [condition] })).toEqual({
      holds: { schema, attester: ['0xa'], field: { level: { gte: 2, lt: 9 } } },
    })
    const equal = { path: 'level', operator: 'equals', value: '2' } as const
    const both = { match: 'all', conditions: [{ ...condition, fields: [equal, fields[1]] }] } as const
    expect(readPolicyForm(writePolicy(both))).toMatchObject(both)
  })

  test('says what is lacking', () => {
    expect(lackOf(emptyCondition)).toBe('Choose a schema.')
    expect(lackOf({ ...emptyCondition, schema })).toMatch(/at least one attester/)
    const whole: Condition = { ...emptyCondition, schema, attesters: 'any' }
    expect(lackOf(whole)).toBeUndefined()
    const fields = [{ path: 'level', operator: 'gte', value: '' }] as const
    expect(lackOf({ ...whole, fields })).toMatch(/each value/)
    expect(freeOperators('level', ['equals', 'gte'], fields)).toEqual(['equals'])
    expect(freeOperators('age', ['equals', 'gte'], fields)).toEqual(['equals', 'gte'])
  })
})

test('a term is found by its path, also within a named policy', () => {
  const holds = { schema, attester: 'any' }
  const named = new Map<string, unknown>([['kyc', { any: [{ not: { holds } }] }]])
  const rule = { all: [{ holds }, { policy: 'kyc' }] }
  expect(termAt(rule, '', named)).toBe(rule)
  expect(termAt(rule, 'all[1].any[0].not', named)).toEqual({ holds })
  expect(termAt(rule, 'all[1].any[7].not', named)).toBeUndefined()
  expect(termAt({ policy: 'none' }, 'all[0]', named)).toBeUndefined()
  expect(conditionOf(termAt(rule, 'all[0]', named))).toMatchObject({ schema, attesters: 'any' })
  expect(conditionOf({ not: {} })).toBeNull()
})
