import { hexToBytes } from '@noble/hashes/utils.js'
import { type Address, type Hash, type Hex, zeroHash } from '../../model/hex.ts'

/**
 * Reads ABI-encoded values in the canonical encoding only: tails follow their heads in order without gaps or overlaps,
 * padding is zero, no bytes follow the last value. Solidity uses this encoding for all logs and return values, so a
 * deviation means that the bytes are not the expected values. Canonical input also bounds the work: each byte is read
 * once, and a result is never larger than its input.
 *
 * No method throws. `problem` keeps the first contradiction, and every later read gives an empty value. A caller
 * therefore reads the whole structure and calls `finish()` once.
 *
 * Invariants:
 * 1. `at` never passes `end`, and no allocation depends on a length that does not fit between them.
 * 2. Once `problem` is set, it never changes, and `at` equals `end`.
 */
export class AbiReader {
  readonly #hex: string
  /** Index of the next digit to be read, counted in characters of `#hex`. */
  #at = 2
  readonly #end: number
  #problem: string | null = null

  /** @param hex the encoded values; any length. */
  constructor(hex: Hex) {
    this.#hex = hex
    this.#end = hex.length
  }

  /** The first deviation from the expected layout, as half a sentence; null without one. */
  get problem(): string | null {
    return this.#problem
  }

  /** Bytes read so far: the base of the offsets that follow. */
  get position(): number {
    return (this.#at - 2) / 2
  }

  uint64(): bigint {
    return this.integer(64, false)
  }

  /** An integer of `bits` bits; where `signed`, in two's complement over the whole word. */
  integer(bits: number, signed: boolean): bigint {
    const word = this.#word()
    if (word < 0) return 0n
    const value = BigInt(`0x${this.#hex.slice(word, word + 64)}`)
    const fitted = signed ? BigInt.asIntN(bits, value) : BigInt.asUintN(bits, value)
    if (BigInt.asUintN(256, fitted) === value) return fitted
    this.#fail(word, `is no ${signed ? 'int' : 'uint'}${bits}`)
    return 0n
  }

  /** A `bytes1` to `bytes32`. */
  fixedBytes(size: number): Hex {
    const word = this.#word()
    if (word < 0) return '0x' as Hex
    if (!isZeros(this.#hex, word + size * 2, word + 64)) {
      this.#fail(word, `is no bytes${size}`)
      return '0x' as Hex
    }
    return `0x${this.#hex.slice(word, word + size * 2)}` as Hex
  }

  /** A `bytes32` that is a hash or an identifier. */
  hash(): Hash {
    const word = this.#word()
    return word < 0 ? zeroHash : (`0x${this.#hex.slice(word, word + 64)}` as Hash)
  }

  /** A small unsigned integer, such as the value of an enumeration: at most `max`, which is at most 255. */
  uint8(max: number): number {
    const word = this.#word()
    if (word < 0) return 0
    const value = parseDigits(this.#hex, word + 62, word + 64)
    if (isZeros(this.#hex, word, word + 62) && value <= max) return value
    this.#fail(word, `is not between 0 and ${max}`)
    return 0
  }

  bool(): boolean {
    const word = this.#word()
    if (word < 0) return false
    const last = this.#hex.charCodeAt(word + 63) - digitZero
    if ((last === 0 || last === 1) && isZeros(this.#hex, word, word + 63)) return last === 1
    this.#fail(word, 'is no bool')
    return false
  }

  address(): Address {
    const word = this.#word()
    if (word < 0) return '0x' as Address
    if (!isZeros(this.#hex, word, word + 24)) this.#fail(word, 'is no address')
    return `0x${this.#hex.slice(word + 24, word + 64)}` as Address
  }

  /**
   * The head of a dynamic value: the absolute position of its tail in bytes, for a later call of `tail`. `frame` is the
   * `position` at which the enclosing tuple begins.
   */
  offset(frame: number): number {
    const word = this.#word()
    return word < 0 ? -1 : frame + this.#length(word, 'is no offset')
  }

  /** Begins the tail whose head was `offset`; the position must be the offset's. */
  tail(position: number): void {
    if (this.#problem === null && position !== this.position) {
      this.#fail(this.#at, `should begin a value that is said to stand at byte ${position}`)
    }
  }

  /** The tail of a `bytes`: its length, its content, zeros up to a multiple of 32 bytes. */
  bytes(): Hex {
    const start = this.#content()
    return `0x${this.#hex.slice(start, start + this.#contentDigits)}` as Hex
  }

  /** The tail of a `string`. Invalid UTF-8 becomes U+FFFD; NUL and a byte order mark stay. */
  string(): string {
    const start = this.#content()
    return this.#contentDigits === 0 ? '' : decodeUtf8(this.#hex.slice(start, start + this.#contentDigits))
  }

  /** The number of elements at the head of an array's tail, of which each takes at least `words` words. */
  count(words: 0 | 1 | 2 = 1): number {
    const word = this.#word()
    if (word < 0) return 0
    const count = this.#length(word, 'is no length')
    if (count * words * 64 <= this.#end - this.#at) return count
    this.#fail(word, `announces ${count} elements, more than the payload holds`)
    return 0
  }

  /** The tail of a `bytes[]`. */
  bytesArray(): Hex[] {
    const count = this.count(2)
    const frame = this.position
    const tails = Array.from({ length: count }, () => this.offset(frame))
    return tails.map((position) => {
      this.tail(position)
      return this.bytes()
    })
  }

  /** Ends the reading. Returns the first deviation from the expected layout, trailing bytes included, or null. */
  finish(): string | null {
    if (this.#at !== this.#end) this.#fail(this.#at, 'should be the end')
    return this.#problem
  }

  /** Length in digits of the content that `#content` found last; a second result without an allocation. */
  #contentDigits = 0

  /** Reads length and content of a byte string and leaves its padding behind; the index of its first digit. */
  #content(): number {
    this.#contentDigits = 0
    const word = this.#word()
    if (word < 0) return this.#end
    const size = this.#length(word, 'is no length')
    const start = this.#at
    const paddedEnd = start + Math.ceil(size / 32) * 64
    if (paddedEnd > this.#end) {
      this.#fail(word, `announces ${size} bytes, more than the payload holds`)
      return this.#end
    }
    const contentEnd = start + size * 2
    if (!isZeros(this.#hex, contentEnd, paddedEnd)) {
      this.#fail(contentEnd, 'should be padding')
      return this.#end
    }
    this.#at = paddedEnd
    this.#contentDigits = size * 2
    return start
  }

  /** Consumes the next word; the index of its first digit, or -1 at the end. */
  #word(): number {
    const word = this.#at
    if (word + 64 > this.#end) {
      this.#fail(word, 'should begin another word')
      return -1
    }
    this.#at = word + 64
    return word
  }

  /** The word at `word` as an offset or a length: below 2^32, beyond which no payload reaches. */
  #length(word: number, complaint: string): number {
    if (isZeros(this.#hex, word, word + 56)) return parseDigits(this.#hex, word + 56, word + 64)
    this.#fail(word, complaint)
    return 0
  }

  #fail(at: number, complaint: string): void {
    this.#problem ??= `byte ${(at - 2) / 2} ${complaint}`
    this.#at = this.#end
  }
}

const digitZero = 48

/** `zeros[n]` is n zeros, up to a word of them. */
const zeros = Array.from({ length: 65 }, (_, count) => '0'.repeat(count))

/** At most a word of digits. Comparing them at once is several times as fast as one by one. */
function isZeros(hex: string, from: number, to: number): boolean {
  return hex.slice(from, to) === zeros[to - from]
}

/** The value of at most 13 lower-case hexadecimal digits. */
function parseDigits(hex: string, from: number, to: number): number {
  let value = 0
  for (let i = from; i < to; i++) {
    const code = hex.charCodeAt(i)
    value = value * 16 + (code < 58 ? code - digitZero : code - 87)
  }
  return value
}

/** In browsers, which check proofs, there is no `Buffer`; in Node.js it is the fastest. */
function decodeUtf8(digits: string): string {
  return hasBuffer
    ? Buffer.from(digits, 'hex').toString('utf8')
    : new TextDecoder('utf-8', { ignoreBOM: true }).decode(hexToBytes(digits))
}

const hasBuffer = 'Buffer' in globalThis
