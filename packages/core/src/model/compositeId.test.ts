import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  formatCompositeId,
  localIdOfCounter,
  parseChainId,
  parseCompositeId,
  parseLocalId,
  type LocalId,
} from './compositeId.ts'

const counter = fc.bigInt({ min: 0n, max: 2n ** 64n - 1n })
const uid = fc
  .uint8Array({ minLength: 32, maxLength: 32 })
  .map((bytes) => `0x${Buffer.from(bytes).toString('hex')}`)
const localId = fc.oneof(counter.map(localIdOfCounter), uid) as fc.Arbitrary<LocalId>
const chainId = fc.integer({ min: 0, max: Number.MAX_SAFE_INTEGER })

describe('composite ids', () => {
  test('parse to what they were formatted from, whatever the case of their hexadecimal digits', () => {
    fc.assert(
      fc.property(chainId, localId, fc.boolean(), (chain, local, upper) => {
        const id = formatCompositeId({ chainId: chain, localId: local })
        const text = upper ? id.replace(/0x.*$/, (digits) => digits.toUpperCase().replace('X', 'x')) : id
        expect(parseCompositeId(text)).toEqual({ kind: 'record', key: { chainId: chain, localId: local } })
      }),
    )
  })

  test.each([
    '',
    'onchain',
    'onchain_evm_1',
    'onchain_evm_1_',
    'onchain_evm_1_1a',
    'onchain_evm_1_0x',
    'onchain_evm_1_0xg',
    'onchain_evm_one_0x1',
    'ONCHAIN_EVM_1_0x1',
    'Onchain_evm_1_0x1',
    'onchain_solana_1_0x1',
    ' onchain_evm_1_0x1',
    'onchain_evm_1_0x1 ',
    'onchain_evm_1_0x1\n',
    'onchain_evm_-1_0x1',
    'onchain_evm_1_0x1_0x1',
    'offchain',
    '0x1a',
  ])('%j is malformed', (text) => {
    expect(parseCompositeId(text)).toEqual({ kind: 'malformed' })
  })

  test.each([
    'onchain_evm_1_0x01',
    'onchain_evm_1_0x00',
    `onchain_evm_1_0x1${'0'.repeat(16)}`,
    `onchain_evm_1_0x${'1'.repeat(63)}`,
    `onchain_evm_1_0x${'1'.repeat(65)}`,
    'onchain_evm_01_0x1',
    'onchain_evm_99999999999999999999_0x1',
    'offchain_evm_1_0x1',
    'SPS_abc',
    'SPA_abc',
  ])('%j is well formed, but nothing that this index can hold', (text) => {
    expect(parseCompositeId(text)).toEqual({ kind: 'unindexable' })
  })
})

describe('local ids', () => {
  test('are the counter as minimal hexadecimal', () => {
    expect(localIdOfCounter(26n)).toBe('0x1a')
    expect(localIdOfCounter(0n)).toBe('0x0')
    expect(localIdOfCounter(2n ** 64n - 1n)).toBe('0xffffffffffffffff')
    expect(() => localIdOfCounter(2n ** 64n)).toThrow(RangeError)
  })

  test('of counters parse back', () => {
    fc.assert(
      fc.property(counter, (value) => {
        expect(parseLocalId(localIdOfCounter(value))).toBe(`0x${value.toString(16)}`)
      }),
    )
  })

  test('keep the leading zeros of a uid', () => {
    const zeros = `0x${'0'.repeat(63)}1`
    expect(parseLocalId(zeros)).toBe(zeros)
  })
})

describe('chain ids', () => {
  test('are exact decimal numbers', () => {
    expect(parseChainId('1')).toBe(1)
    expect(parseChainId('9007199254740991')).toBe(2 ** 53 - 1)
    for (const text of ['', '01', '-1', '1e3', '0x1', '9007199254740992', '1.0', ' 1']) {
      expect(parseChainId(text)).toBeNull()
    }
  })
})
