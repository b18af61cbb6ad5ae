import { keccak_256 } from '@noble/hashes/sha3.js'
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { keccak256, keccakDigits } from './keccak.ts'

test('any bytes have the hash that JavaScript computes', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => {
      expect(Uint8Array.from(keccak256(bytes))).toEqual(keccak_256(bytes))
    }),
  )
})

test('any ASCII text has the digits of that hash', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme-ascii' }), (text) => {
      expect(keccakDigits(text)).toBe(bytesToHex(keccak_256(utf8ToBytes(text))))
    }),
  )
})
