/** Texts of bytes as content identifiers have them (https://github.com/multiformats/multibase). */

const base58Digits = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz'
const base36Digits = '0123456789abcdefghijklmnopqrstuvwxyz'
const base32Digits = 'abcdefghijklmnopqrstuvwxyz234567'

/** Bytes as a number in base 58 with the digits of Bitcoin; each zero byte in front is a `1`. */
export function encodeBase58(bytes: Uint8Array): string {
  let value = 0n
  for (const byte of bytes) value = value * 256n + BigInt(byte)
  let text = ''
  for (; value > 0n; value /= 58n) text = (base58Digits[Number(value % 58n)] ?? '') + text
  const zeros = bytes.findIndex((byte) => byte !== 0)
  return '1'.repeat(zeros === -1 ? bytes.length : zeros) + text
}

/** Null for a text with other digits. */
export function decodeBase58(text: string): Uint8Array | null {
  return decodeNumber(text, base58Digits)
}

export function decodeBase36(text: string): Uint8Array | null {
  return decodeNumber(text, base36Digits)
}

/** RFC 4648 in lower case without padding. */
export function decodeBase32(text: string): Uint8Array | null {
  const bytes: number[] = []
  let [bits, value] = [0, 0]
  for (const digit of text) {
    const at = base32Digits.indexOf(digit)
    if (at === -1) return null
    value = (value << 5) | at
    bits += 5
    if (bits < 8) continue
    bits -= 8
    bytes.push((value >> bits) & 0xff)
    value &= (1 << bits) - 1
  }
  return value === 0 ? Uint8Array.from(bytes) : null
}

function decodeNumber(text: string, digits: string): Uint8Array | null {
  const base = BigInt(digits.length)
  let value = 0n
  for (const digit of text) {
    const at = digits.indexOf(digit)
    if (at === -1) return null
    value = value * base + BigInt(at)
  }
  const bytes: number[] = []
  for (; value > 0n; value /= 256n) bytes.unshift(Number(value % 256n))
  const zeros = [...text].findIndex((digit) => digit !== digits[0])
  return Uint8Array.from([...Array.from({ length: Math.max(0, zeros) }, () => 0), ...bytes])
}
