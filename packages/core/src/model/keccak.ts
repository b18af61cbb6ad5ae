import { keccak_256 } from '@noble/hashes/sha3.js'
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js'

/**
 * OpenSSL 3.2 (Node.js 24.5) and later compute Keccak-256 natively, in a tenth of the time of JavaScript. Browsers,
 * which verify off-chain attestations by this code, have no such module; bundlers may give them another `process`.
 */
const crypto = typeof process === 'object' ? process.getBuiltinModule?.('node:crypto') : undefined
const native = crypto?.getHashes().includes('keccak-256') === true ? crypto : null

/** The Keccak-256 hash of bytes: 32 bytes. */
export function keccak256(bytes: Uint8Array): Uint8Array {
  return native === null ? keccak_256(bytes) : native.hash('keccak-256', bytes, 'buffer')
}

/**
 * The Keccak-256 hash of ASCII text, as lower-case hexadecimal digits: a quarter of the time of hashing bytes and
 * writing the digits.
 */
export function keccakDigits(text: string): string {
  return native === null ? bytesToHex(keccak_256(utf8ToBytes(text))) : native.hash('keccak-256', text, 'hex')
}
