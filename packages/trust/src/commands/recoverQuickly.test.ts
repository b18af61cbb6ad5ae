import { secp256k1 } from '@noble/curves/secp256k1.js'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { RecoverPublicKey } from '@attestry/core/model/offchainRecord.ts'
import { recoverInJavaScript } from '../statements/recoverSigner.ts'
import { createQuickRecovery } from './recoverQuickly.ts'

const word = fc.uint8Array({ minLength: 32, maxLength: 32 })
const recoveries = fc.constantFrom<0 | 1>(0, 1)

/** Numbers at the ends of the field and of the group. */
const oddWords = [
  0n,
  1n,
  secp256k1.Point.Fn.ORDER - 1n,
  secp256k1.Point.Fn.ORDER,
  secp256k1.Point.Fp.ORDER,
  2n ** 256n - 1n,
].map((number) => Uint8Array.from(Buffer.from(number.toString(16).padStart(64, '0'), 'hex')))

test('any signature, made or made up, recovers to the key that JavaScript finds', async () => {
  const quickly = await createQuickRecovery()
  const agree = (...parameters: Parameters<RecoverPublicKey>) => {
    const [quick, slow] = [quickly(...parameters), recoverInJavaScript(...parameters)]
    expect(quick === null ? null : Buffer.from(quick).toString('hex')).toBe(
      slow === null ? null : Buffer.from(slow).toString('hex'),
    )
  }
  const number = fc.oneof({ weight: 4, arbitrary: word }, fc.constantFrom(...oddWords))
  fc.assert(
    fc.property(number, number, number, recoveries, (hash, r, s, recovery) => {
      agree(hash, Buffer.concat([r, s]), recovery)
    }),
    { numRuns: 60 },
  )
  fc.assert(
    fc.property(word, word, recoveries, (hash, seed, recovery) => {
      const { secretKey } = secp256k1.keygen(Buffer.concat([seed, seed.subarray(0, 16)]))
      agree(hash, secp256k1.sign(hash, secretKey, { prehash: false }), recovery)
    }),
    { numRuns: 20 },
  )
})
