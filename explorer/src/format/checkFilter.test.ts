import { expect, test } from 'vitest'
import { checkAddress, isAddress } from './checkFilter.ts'

test('an address is known by its form', () => {
  expect(isAddress(`0x${'Ab'.repeat(20)}`)).toBe(true)
  expect(isAddress(`0x${'Ab'.repeat(19)}`)).toBe(false)
  expect(isAddress('ab'.repeat(20))).toBe(false)
  expect(checkAddress(`0x${'aB'.repeat(20)}`)).toBeUndefined()
  expect(checkAddress('vitalik.eth')).toMatch(/40 hexadecimal digits/)
})
