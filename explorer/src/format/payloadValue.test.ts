import { describe, expect, test } from 'vitest'
import { groupDigits, readPayloadValue } from './payloadValue.ts'

const read = (type: string, value: unknown, name = 'field') => readPayloadValue({ name, type, value })

describe('readPayloadValue', () => {
  test('knows addresses, truths, integers and bytes by their types', () => {
    const address = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8'
    expect(read('address', address)).toEqual({ kind: 'address', address })
    expect(read('bool', false)).toEqual({ kind: 'boolean', isTrue: false })
    expect(read('uint256', '42')).toEqual({ kind: 'integer', digits: '42', seconds: null })
    expect(read('bytes32', `0x${'ab'.repeat(32)}`)).toMatchObject({ kind: 'hash' })
    expect(read('bytes', '0x0102')).toEqual({ kind: 'bytes', hex: '0x0102', length: 2 })
    expect(read('bytes', '0x')).toEqual({ kind: 'empty' })
  })

  test('reads an integer as a time where its name says so and it may be one', () => {
    expect(read('uint64', '1790071296', 'checkedAt')).toMatchObject({ seconds: 1_790_071_296 })
    expect(read('uint64', '1790071296', 'expirationTime')).toMatchObject({ seconds: 1_790_071_296 })
    expect(read('uint64', '1790071296', 'amount')).toMatchObject({ seconds: null })
    expect(read('uint64', '7', 'checkedAt')).toMatchObject({ seconds: null })
    expect(read('uint64', '1790071296', 'format')).toMatchObject({ seconds: null })
  })

  test('links nothing but pages of the web', () => {
    expect(read('string', 'https://example.org/a?b=c')).toMatchObject({ kind: 'url', host: 'example.org' })
    expect(read('string', 'see https://example.org')).toMatchObject({ kind: 'text' })
    expect(read('string', 'https://bank.example@evil.example/')).toMatchObject({ kind: 'text' })
    for (const text of [
      'javascript:alert(1)',
      ' JavaScript:alert(1)',
      'java\nscript:alert(1)',
      'data:text/html,x',
    ]) {
      expect(read('string', text), text).toMatchObject({ kind: 'unsafeLink' })
    }
    expect(read('string', 'did:key:z6Mk')).toMatchObject({ kind: 'text' })
    expect(read('string', 'note: a colon')).toMatchObject({ kind: 'text' })
  })

  test('lays out JSON, and leaves what only begins like it', () => {
    expect(read('string', '{"a":1}')).toMatchObject({ kind: 'json', pretty: '{\n  "a": 1\n}' })
    expect(read('string', '{not json')).toMatchObject({ kind: 'text' })
  })

  test('takes lists apart by their type, and tuples by the names of their fields', () => {
    expect(read('address[]', ['0x70997970C51812dc3A010C7d01b50e0d17dc79C8'])).toMatchObject({
      kind: 'list',
      items: [{ type: 'address' }],
    })
    const tuple = [{ name: 'a', type: 'uint8', value: '1' }]
    expect(read('(uint8 a)', tuple)).toEqual({ kind: 'tuple', fields: tuple })
    const list = read('(uint8 a)[]', [tuple])
    expect(list).toMatchObject({ kind: 'list', items: [{ type: '(uint8 a)', value: tuple }] })
    expect(list.kind === 'list' && list.items[0] && readPayloadValue(list.items[0])).toMatchObject({
      kind: 'tuple',
    })
    expect(read('uint8[2][]', [['1', '2']])).toMatchObject({ kind: 'list', items: [{ type: 'uint8[2]' }] })
    expect(read('string[]', [])).toEqual({ kind: 'list', items: [] })
  })
})

test('digits are grouped by three, whatever their number and sign', () => {
  expect(groupDigits('1')).toBe('1')
  expect(groupDigits('2025')).toBe('2025')
  expect(groupDigits('10000')).toBe('10,000')
  expect(groupDigits('1234567')).toBe('1,234,567')
  expect(groupDigits('-123456')).toBe('-123,456')
  expect(groupDigits('18446744073709551615')).toBe('18,446,744,073,709,551,615')
})
