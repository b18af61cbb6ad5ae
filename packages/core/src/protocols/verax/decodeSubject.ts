import { type Address, type Hex, parseAddress } from '../../model/hex.ts'
import type { Recipient } from '../../model/records.ts'

/**
 * The recipient that the subject of an attestation stands for; null for no bytes, which only an import may have. The
 * first match counts:
 * 1. 20 bytes, or 32 bytes of which the first 12 are zero: an address, as `balanceOf` of the registry has it.
 * 2. UTF-8 without control characters: text, such as a DID or a URL. A text that is an address, in any case and with
 *    any checksum, is that address.
 * 3. Any other bytes stay raw.
 */
export function decodeSubject(bytes: Hex): Recipient | null {
  const size = (bytes.length - 2) / 2
  if (size === 0) return null
  if (size === 20) return { kind: 'address', address: `0x${bytes.slice(2)}` as Address }
  if (size === 32 && bytes.startsWith(addressPadding)) {
    return { kind: 'address', address: `0x${bytes.slice(26)}` as Address }
  }
  const text = readText(bytes)
  if (text === null) return { kind: 'bytes', bytes }
  const address = parseAddress(text)
  return address === null ? { kind: 'text', text } : { kind: 'address', address }
}

const addressPadding = `0x${'0'.repeat(24)}`
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

function readText(bytes: Hex): string | null {
  try {
    const text = utf8.decode(Buffer.from(bytes.slice(2), 'hex'))
    return /\p{Cc}/u.test(text) ? null : text
  } catch {
    return null
  }
}
