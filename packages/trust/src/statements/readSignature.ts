import { readBytes, readInteger, toHexText } from './eip712.ts'
import { type Members, UnreadableInput, withLowerNames } from './unreadable.ts'
import type { Hex } from '@attestry/core/model/hex.ts'

/**
 * A signature in the forms that ethers 5 and 6, viem, web3.js, web3.py, go-ethereum and alloy write: all of its bytes,
 * or `r` and `s` with `v` or the parity of `y`. Bytes are passed on as they are, since contract accounts sign with any.
 * @throws UnreadableInput
 */
export function readSignature(given: unknown, path: string): Hex {
  if (!isParts(given)) return readBytes(fromBase64(given), path)
  const parts = withLowerNames(given)
  const { r } = parts
  if (r === undefined) {
    const whole = parts['signature'] ?? parts['serialized'] ?? parts['compact']
    if (whole !== undefined) return readSignature(whole, `${path}.signature`)
  }
  const packed = parts['yParityAndS'] ?? parts['_vs'] ?? parts['vs']
  if (parts['s'] === undefined && packed !== undefined) {
    // The compact form of EIP-2098.
    return `0x${readScalar(r, `${path}.r`)}${readScalar(packed, `${path}.yParityAndS`)}` as Hex
  }
  const digits = `${readScalar(r, `${path}.r`)}${readScalar(parts['s'], `${path}.s`)}`
  const parity = readParity(parts, path)
  const v = parity <= 1n ? 27n + parity : parity
  return `0x${digits}${v.toString(16).padStart(2, '0')}` as Hex
}

/** Whether a value has parts by their names, and is not bytes in a form of JSON. */
function isParts(given: unknown): given is Members {
  return typeof given === 'object' && given !== null && toHexText(given) === null
}

/** Go writes bytes in base64; those of a signature have 88 characters. */
function fromBase64(given: unknown): unknown {
  if (typeof given !== 'string' || !/^[A-Za-z0-9+/]{86}[A-Za-z0-9+/=]=$/.test(given)) return given
  return Array.from(atob(given), (character) => character.charCodeAt(0))
}

/** Names that libraries give the parity of `y`. */
const parityNames = [
  'yParity',
  'y_parity',
  'oddYParity',
  'odd_y_parity',
  'recoveryParam',
  'recovery',
  'recoveryId',
  'recid',
]

/**
 * 0 or 1: the parity of `y`, also by `v` as in EIP-155, where it has the number of a chain in it. Another `v` is
 * returned as it is: no key signs with it, but the contract of an account may.
 */
function readParity(parts: Members, path: string): bigint {
  const name = parityNames.find((each) => parts[each] !== undefined && parts[each] !== null)
  const named = name === undefined ? null : readBit(parts[name], `${path}.${name}`)
  if (parts['v'] === undefined && named !== null) return named
  const v = readInteger(parts['v'], 64, `${path}.v`)
  const parity = v >= 35n ? (v - 35n) % 2n : v === 27n || v === 28n ? v - 27n : v
  if (named !== null && named !== parity) {
    throw new UnreadableInput(`${path}.v and ${path}.${name} contradict each other: send one of them`)
  }
  return parity
}

function readBit(value: unknown, path: string): bigint {
  const bit = typeof value === 'boolean' ? BigInt(value) : readInteger(value, 8, path)
  if (bit <= 1n) return bit
  throw new UnreadableInput(`${path} is neither 0 nor 1`)
}

/** A number of 32 bytes as 64 digits, from hexadecimal digits without leading zeros or `0x`, decimal ones, or bytes. */
function readScalar(value: unknown, path: string): string {
  const text = toHexText(value) ?? value
  if (typeof text === 'string' && !/^0x/i.test(text)) {
    const digits = text.trim()
    // Either reading is one in 2^40 signatures.
    if (/^[0-9]{1,64}$/.test(digits)) {
      throw new UnreadableInput(
        `${path} may be decimal or hexadecimal: write 0x in front of hexadecimal digits, and decimal ones as a number`,
      )
    }
    if (/^[0-9a-f]{1,64}$/i.test(digits)) return digits.toLowerCase().padStart(64, '0')
  }
  return readInteger(text, 256, path).toString(16).padStart(64, '0')
}
