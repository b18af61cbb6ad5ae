import fc from 'fast-check'
import { getAddress } from 'viem'
import { expect, test } from 'vitest'
import { checksumAddress } from './checksumAddress.ts'
import { parseAddress, zeroAddress } from './hex.ts'

test('addresses are checksummed as EIP-55 says', () => {
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 20, maxLength: 20 }), (bytes) => {
      const address = parseAddress(`0x${Buffer.from(bytes).toString('hex')}`) ?? zeroAddress
      expect(checksumAddress(address)).toBe(getAddress(address))
    }),
  )
})

test('a remembered checksum equals a computed one', () => {
  const address = parseAddress('0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed') ?? zeroAddress
  expect(checksumAddress(address)).toBe('0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed')
  expect(checksumAddress(address)).toBe('0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed')
})
