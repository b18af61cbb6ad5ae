import { isUtf8 } from 'node:buffer'
import { type Address, type Hex, parseAddress } from '../../model/hex.ts'
import type { Recipient } from '../../model/records.ts'

/**
 * The recipient that bytes stand for (docs/api.md, "Identifiers and addresses"). The first match counts:
 * 1. `abi.encode(address)`: 32 bytes, of which the first 12 are zero. Other 32 bytes (a public key, a hash) are raw.
 * 2. `abi.encode(string)`, the official SDK's default, for addresses too. A string that is an address, in any case and
 *    with any checksum, is that address; any other string is text, the empty one included.
 * 3. Exactly 20 bytes: an address.
 * 4. Any other bytes, the empty byte string included, stay raw.
 *
 * Only the canonical encoding of a string is text: offset 32, zero padding, no trailing bytes, valid UTF-8. Decoders
 * such as viem's and the SDK's accept any offset, dirty padding and trailing bytes, and replace invalid UTF-8. With
 * such a decoder, recipients that differ on chain would look the same, and `abi.encode(bytes)` of an address would look
 * like gibberish. Raw bytes lose nothing.
 */
export function decodeRecipient(bytes: Hex): Recipient {
  const size = (bytes.length - 2) / 2
  if (size === 32 && bytes.startsWith(addressPadding)) {
    return { kind: 'address', address: `0x${bytes.slice(26)}` as Address }
  }
  const text = size >= 64 ? decodeExactString(bytes) : null
  if (text !== null) {
    const address = parseAddress(text)
    return address === null ? { kind: 'text', text } : { kind: 'address', address }
  }
  if (size === 20) return { kind: 'address', address: `0x${bytes.slice(2)}` as Address }
  return { kind: 'bytes', bytes }
}

const addressPadding = `0x${'0'.repeat(24)}`
/** The word 0x20 and the upper 28 bytes of a length. */
const stringBeginning = `0x${'20'.padStart(64, '0')}${'0'.repeat(56)}`
const stringContentIndex = 2 + 128
const zeroWord = '0'.repeat(64)

function decodeExactString(bytes: Hex): string | null {
  if (!bytes.startsWith(stringBeginning)) return null
  const size = Number.parseInt(bytes.slice(stringContentIndex - 8, stringContentIndex), 16)
  if (bytes.length !== stringContentIndex + Math.ceil(size / 32) * 64) return null
  const contentEnd = stringContentIndex + size * 2
  if (!zeroWord.startsWith(bytes.slice(contentEnd))) return null
  const content = Buffer.from(bytes.slice(stringContentIndex, contentEnd), 'hex')
  return isUtf8(content) ? content.toString('utf8') : null
}
