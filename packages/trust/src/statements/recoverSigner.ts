import { secp256k1 } from '@noble/curves/secp256k1.js'
import { bytesToHex } from '@noble/hashes/utils.js'
import type { Address, Hex } from '@attestry/core/model/hex.ts'
import { keccak256 } from '@attestry/core/model/keccak.ts'
import type { RecoverPublicKey } from '@attestry/core/model/offchainRecord.ts'
import { bytesOf, concatParts } from '@attestry/core/protocols/bytes.ts'

/** Half of the order of the curve: `s` of a signature lies in one half or the other. */
const halfOrder = secp256k1.Point.Fn.ORDER / 2n

/**
 * The account that signed a hash; null if the bytes are no signature of an account. A signature of 65 bytes is `r`, `s`
 * and `v`, with `v` 0, 1, 27, 28 or as in EIP-155. Its `s` is in the lower half of its range (EIP-2). A signature of 64
 * bytes has the parity of `y` in the highest bit of `s` (EIP-2098).
 */
export function recoverSigner(
  hash: Uint8Array,
  signature: Hex,
  recover: RecoverPublicKey = recoverInJavaScript,
): Address | null {
  const bytes = unpackCompact(bytesOf(signature))
  if (bytes.length !== 65) return null
  const v = bytes[64] ?? 0
  const recovery = v >= 35 ? (v - 35) % 2 : v >= 27 ? v - 27 : v
  if (recovery !== 0 && recovery !== 1) return null
  const s = BigInt(`0x${bytesToHex(bytes.subarray(32, 64))}`)
  if (s > halfOrder) return null
  const publicKey = recover(hash, bytes.subarray(0, 64), recovery)
  if (publicKey === null) return null
  return `0x${bytesToHex(keccak256(publicKey.subarray(1)).subarray(12))}` as Address
}

function unpackCompact(bytes: Uint8Array): Uint8Array {
  if (bytes.length !== 64) return bytes
  const unpacked = Uint8Array.of(...bytes, (bytes[32] ?? 0) >> 7)
  unpacked[32] = (bytes[32] ?? 0) & 0x7f
  return unpacked
}

/** Runs wherever JavaScript does; see `RecoverPublicKey`. */
export const recoverInJavaScript: RecoverPublicKey = (hash, signature, recovery) => {
  try {
    return secp256k1.Signature.fromBytes(concatParts([Uint8Array.of(recovery), signature]), 'recovered')
      .recoverPublicKey(hash)
      .toBytes(false)
  } catch {
    // No point of the curve belongs to these numbers.
    return null
  }
}
