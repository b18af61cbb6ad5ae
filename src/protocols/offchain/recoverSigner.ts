import { secp256k1 } from '@noble/curves/secp256k1.js'
import { bytesToHex } from '@noble/hashes/utils.js'
import type { Address, Hex } from '../../model/hex.ts'
import { keccak256 } from '../../model/keccak.ts'
import { bytesOf, concatParts } from '../bytes.ts'

/**
 * The account that signed a hash; null where the bytes are no signature of an account. A signature is 65 bytes, `r`,
 * `s` and `v`, with `v` 0, 1, 27 or 28 and `s` in the lower half of its range, as every signer makes it (EIP-2).
 */
export function recoverSigner(hash: Uint8Array, signature: Hex): Address | null {
  const bytes = bytesOf(signature)
  if (bytes.length !== 65) return null
  const v = bytes[64] ?? 0
  const recovery = v >= 27 ? v - 27 : v
  if (recovery > 1) return null
  try {
    const recoverable = secp256k1.Signature.fromBytes(
      concatParts([Uint8Array.of(recovery), bytes.subarray(0, 64)]),
      'recovered',
    )
    if (recoverable.hasHighS()) return null
    const publicKey = recoverable.recoverPublicKey(hash).toBytes(false)
    return `0x${bytesToHex(keccak256(publicKey.subarray(1)).subarray(12))}` as Address
  } catch {
    // No point of the curve belongs to these numbers.
    return null
  }
}
