import { describe, expect, test } from 'vitest'
import {
  asOfMistake,
  readGateSearch,
  readRule,
  ruleLengthMax,
  ruleUnder,
  schemaOfPolicy,
} from './gateSearch.ts'

describe('the text of a policy', () => {
  test.each([
    ['', /^Write a policy/],
    ['holds: {}', /no JSON/],
    ['[]', /is an object/],
    ['null', /is an object/],
    [`"${'x'.repeat(ruleLengthMax)}"`, /at most 6000 characters/],
  ])('%s is a mistake', (text, message) => {
    expect(readRule(text)).toEqual({ kind: 'mistake', message: expect.stringMatching(message) as string })
  })

  test('is read unchanged, such as the one that a schema begins with', () => {
    const rule = { holds: { schema: 'onchain_evm_1_0x1', attester: ['0xa'] }, maxStaleness: '10m' }
    expect(readRule(ruleUnder('onchain_evm_1_0x1', ['0xa']))).toEqual({ kind: 'rule', rule })
  })

  test('leads to the first schema that it asks for', () => {
    const holds = { attester: 'any', schema: 'onchain_evm_1_0x2' }
    expect(schemaOfPolicy({ all: [{ policy: 'kyc' }, { not: { holds } }] })).toBe('onchain_evm_1_0x2')
    expect(schemaOfPolicy({ all: [{ policy: 'kyc' }] })).toBeUndefined()
    expect(schemaOfPolicy({ holds: { schema: '0x2', chainId: '1' } })).toBeUndefined()
  })
})

test('recognises a moment and refuses other texts', () => {
  for (const moment of ['10:120000000', `10:0x${'a'.repeat(64)}`, '1718000000']) {
    expect(asOfMistake(moment)).toBeUndefined()
  }
  for (const text of ['yesterday', '0:5', '10:', '-1']) expect(asOfMistake(text)).toMatch(/Unix seconds/)
})

test('the address of the page holds what is tried', () => {
  expect(readGateSearch({ policy: 'kyc', address: ' 0xab ', page: '2' })).toEqual({
    policy: 'kyc',
    rule: undefined,
    address: '0xab',
    asOf: undefined,
  })
})
