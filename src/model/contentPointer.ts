import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex } from '@noble/hashes/utils.js'
import { decodeBase32, decodeBase36, decodeBase58 } from './baseTexts.ts'
import { parseHash, type Hash } from './hex.ts'

/** Where a record says that its payload is kept. */
export type ContentPointer = (
  | { readonly kind: 'ipfs'; readonly key: string; readonly cid: ContentId }
  | { readonly kind: 'arweave'; readonly key: string; readonly id: string }
  | { readonly kind: 'https'; readonly key: string; readonly url: string }
) & {
  /** The Keccak-256 hash that the record gives its content. */
  readonly keccak?: Hash
}

/** A content identifier whose hash can be recomputed: SHA-256 over bytes or over a node of DAG-PB. */
export interface ContentId {
  readonly text: string
  readonly codec: 'raw' | 'dag-pb'
  /** SHA-256, as lower-case hexadecimal digits. */
  readonly digest: string
}

/**
 * Reads the text that a payload holds in place of content: an identifier of IPFS, alone, as `ipfs://…`, as a path
 * `/ipfs/…` or within the URL of a gateway, or an id of Arweave, alone or as `ar://…`.
 * @param location where the record says that its payload is.
 * @returns null for any other text.
 */
export function parseContentPointer(location: string, text: string): ContentPointer | null {
  const trimmed = text.trim()
  if (location === 'ARWEAVE') {
    const [, id] = /^(?:ar:\/\/|https?:\/\/[^/]+\/)?([A-Za-z0-9_-]{43})\/?$/.exec(trimmed) ?? []
    return id === undefined ? null : { kind: 'arweave', key: `arweave:${id}`, id }
  }
  if (location !== 'IPFS') return null
  const [, named] =
    /^(?:ipfs:\/\/(?:ipfs\/)?|(?:https?:\/\/[^/]+)?\/?ipfs\/)?([A-Za-z0-9]{32,120})\/?$/.exec(trimmed) ?? []
  const cid = named === undefined ? null : parseContentId(named)
  return cid && { kind: 'ipfs', key: `ipfs:${cid.text}`, cid }
}

/** Reads a text that says by itself where content is: as for IPFS, or `ar://…`; null for any other text. */
export function parsePublicPointer(text: string): ContentPointer | null {
  return parseContentPointer(text.trimStart().startsWith('ar://') ? 'ARWEAVE' : 'IPFS', text)
}

/** The pointer of a record that also has the hash of the content: other content is then a mismatch. */
export function withKeccak(pointer: ContentPointer, hash: Hash): ContentPointer {
  // No key has a `#`: content is known by its hash too.
  return { ...pointer, key: `${pointer.key}#${hash}`, keccak: hash }
}

/** Characters of the longest URL that is fetched: keys of PostgreSQL hold it beside other texts. */
const urlLengthMax = 1_000

/** Reads a URI that is there to be fetched: a public pointer, or the `https://` URL of a file. */
export function parseFilePointer(text: string): ContentPointer | null {
  const named = parsePublicPointer(text)
  if (named !== null) return named
  const url = URL.parse(text.trim())
  if (url?.protocol !== 'https:' || `${url.username}${url.password}` !== '') return null
  // A fragment is never sent.
  url.hash = ''
  return url.href.length > urlLengthMax ? null : { kind: 'https', key: url.href, url: url.href }
}

/** Reads the key of a pointer. */
export function pointerOfKey(key: string): ContentPointer | null {
  const [plain = '', hash] = key.split('#')
  const keccak = hash === undefined ? null : parseHash(hash)
  const colon = plain.indexOf(':')
  const pointer = plain.startsWith('https:')
    ? parseFilePointer(plain)
    : parseContentPointer(plain.slice(0, colon).toUpperCase(), plain.slice(colon + 1))
  return pointer === null || keccak === null ? pointer : withKeccak(pointer, keccak)
}

/** Reads an identifier of version 0 (`Qm…`) or 1 in base 32, 36 or 58 over SHA-256; null for any other. */
export function parseContentId(text: string): ContentId | null {
  const bytes = bytesOf(text)
  const read = bytes === null ? null : readContentIdBytes(bytes)
  return read && { text, ...read }
}

/** Reads an identifier as links of blocks have it. */
export function readContentIdBytes(bytes: Uint8Array): Omit<ContentId, 'text'> | null {
  const [first, second] = bytes
  if (first === 0x12 && second === 0x20 && bytes.length === 34) {
    return { codec: 'dag-pb', digest: bytesToHex(bytes.subarray(2)) }
  }
  const codec = second === 0x55 ? 'raw' : second === 0x70 ? 'dag-pb' : null
  const isSha256 = bytes[2] === 0x12 && bytes[3] === 0x20 && bytes.length === 36
  return first === 1 && codec !== null && isSha256 ? { codec, digest: bytesToHex(bytes.subarray(4)) } : null
}

function bytesOf(text: string): Uint8Array | null {
  if (/^Qm[1-9A-HJ-NP-Za-km-z]{44}$/.test(text)) return decodeBase58(text)
  const rest = text.slice(1)
  switch (text[0]) {
    case 'b':
      return decodeBase32(rest)
    case 'k':
      return decodeBase36(rest)
    case 'z':
      return decodeBase58(rest)
    default:
      return null
  }
}

export function sha256Hex(bytes: Uint8Array): string {
  return bytesToHex(sha256(bytes))
}
