import { describe, expect, test } from 'vitest'
import { foldText } from './foldText.ts'
import { classifyKeyword, valueMatchKey } from './keyword.ts'

const address = `0x${'Ab'.repeat(20)}`
const hash = `0x${'Cd'.repeat(32)}`

describe('a keyword is looked up by its shape', () => {
  test.each([
    ['onchain_evm_1_0x1A', { kind: 'compositeId', key: { chainId: 1, localId: '0x1a' } }],
    ['offchain_evm_1_0x1', { kind: 'compositeId', key: null }],
    ['SPA_xyz', { kind: 'compositeId', key: null }],
    ['onchain_evm_1_0x01', { kind: 'compositeId', key: null }],
    [address, { kind: 'address', address: address.toLowerCase() }],
    [hash, { kind: 'hash', hash: hash.toLowerCase() }],
    ['0x', { kind: 'hexPrefix', digits: '' }],
    ['0x1A', { kind: 'hexPrefix', digits: '1a' }],
    [`${hash}00`, { kind: 'hexPrefix', digits: `${hash.slice(2).toLowerCase()}00` }],
    ['26', { kind: 'number', localId: '0x1a', folded: '26' }],
    ['0026', { kind: 'number', localId: '0x1a', folded: '0026' }],
    ['0', { kind: 'number', localId: '0x0', folded: '0' }],
    [
      '18446744073709551615',
      { kind: 'number', localId: '0xffffffffffffffff', folded: '18446744073709551615' },
    ],
    ['18446744073709551616', { kind: 'number', localId: null, folded: '18446744073709551616' }],
    ['9'.repeat(256), { kind: 'number', localId: null, folded: '9'.repeat(256) }],
    ['0xzz', { kind: 'text', folded: '0xzz' }],
    ['-26', { kind: 'text', folded: '-26' }],
    ['100%_"AND', { kind: 'text', folded: '100%_"and' }],
    ['学位', { kind: 'text', folded: '学位' }],
  ])('%j', (text, target) => {
    expect(classifyKeyword(text)?.target).toEqual(target)
  })

  test('trimmed and in NFC', () => {
    expect(classifyKeyword('  Cafe\u0301 ')).toEqual({
      text: 'Café',
      target: { kind: 'text', folded: 'café' },
    })
    expect(classifyKeyword(' \t\n')).toBeNull()
    expect(classifyKeyword('')).toBeNull()
  })
})

test('folding makes case and normal form of no account, in any script', () => {
  for (const [one, other] of [
    ['ΟΔΟΣ', 'οδος'],
    ['οδοσ', 'οδος'],
    ['CAFÉ', 'cafe\u0301'],
    ['ПРИВЕТ', 'привет'],
    ['İstanbul', 'i\u0307stanbul'],
  ] as const) {
    expect(foldText(one)).toBe(foldText(other))
  }
})

test('values are compared exactly, hexadecimal ones without case', () => {
  expect(valueMatchKey('0xAB')).toBe(valueMatchKey('0xab'))
  expect(valueMatchKey('Key')).not.toBe(valueMatchKey('key'))
  expect(valueMatchKey('0xABz')).not.toBe(valueMatchKey('0xabz'))
  expect(valueMatchKey('Cafe\u0301')).toBe(valueMatchKey('Café'))
})
