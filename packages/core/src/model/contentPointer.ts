import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex } from '@noble/hashes/utils.js'
import { base16 } from 'multiformats/bases/base16'
import { base32 } from 'multiformats/bases/base32'
import { base36 } from 'multiformats/bases/base36'
import { base58btc } from 'multiformats/bases/base58'
import { CID } from 'multiformats/cid'
import * as raw from 'multiformats/codecs/raw'
import { code as dagPbCode } from '@ipld/dag-pb'
import { sha256Code } from './contentId.ts'
import { parseHash, type Hash } from './hex.ts'

/** The place where a record says that its payload is kept. */
export type ContentPointer = (
  | {
      readonly kind: 'ipfs'
      readonly key: string
      readonly cid: ContentId
      /** Names from the folder of the identifier to the file; empty if the identifier names the file itself. */
      readonly path: readonly string[]
    }
  | {
      readonly kind: 'arweave'
      readonly key: string
      readonly id: string
      /** A path within the manifest that the id names, percent-encoded; empty for the data of the id. */
      readonly path: string
    }
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
 * Parses the text that a payload holds in place of content:
 * - an IPFS identifier, bare, as `ipfs://…`, as a path `/ipfs/…` or within the URL of a gateway;
 * - an Arweave id, bare, as `ar://…` or within the URL of a gateway.
 *
 * A path may follow. A query, which only gateways read, and a fragment are left out.
 * @param location where the record says that its payload is.
 * @returns null for any other text.
 */
export function parseContentPointer(location: string, text: string): ContentPointer | null {
  const named = text.trim().replace(/[?#].*$/s, '')
  if (location === 'ARWEAVE') {
    const [, id = '', path = ''] =
      /^(?:ar:\/\/|https?:\/\/[^/]+\/)?([A-Za-z0-9_-]{43})(?:\/(.*))?$/is.exec(named) ?? []
    return id === '' || path.length > pathLengthMax ? null : arweavePointer(id, path)
  }
  if (location !== 'IPFS') return null
  const [, bySubdomain, byPath, path = ''] = ipfsForms.exec(named) ?? []
  const cid = parseContentId(bySubdomain ?? byPath ?? '')
  const names = cid === null ? null : readPath(path)
  return cid && names && ipfsPointer(cid, names)
}

/**
 * `https://<cid>.ipfs.<host>/<path>`, or the identifier after whatever stands in front of it: nothing, `ipfs://`,
 * `ipfs://ipfs/`, `/ipfs/`, `dweb:/ipfs/`, `https://<host>/ipfs/`.
 */
const ipfsForms =
  /^(?:https?:\/\/([a-z0-9]{32,120})\.ipfs\.[^/]+|(?:ipfs:\/{0,2}(?:ipfs\/)?|(?:dweb:|https?:\/\/[^/]+)?\/?ipfs\/)?([a-z0-9]{32,120}))(?:\/(.*))?$/is

/** Characters of the longest path behind an identifier: keys of PostgreSQL hold it beside other texts. */
const pathLengthMax = 800

/** The names in a path; null for a path that is too long, is not percent-encoded UTF-8 or leads upwards. */
function readPath(path: string): readonly string[] | null {
  try {
    const names = path
      .split('/')
      .filter((name) => name !== '')
      .map(decodeURIComponent)
    const isTooLong = names.map(encodeURIComponent).join('/').length > pathLengthMax
    return isTooLong || names.some((name) => name === '.' || name === '..') ? null : names
  } catch {
    return null
  }
}

function ipfsPointer(cid: ContentId, path: readonly string[]): ContentPointer {
  const key = ['ipfs:' + cid.text, ...path.map(encodeURIComponent)].join('/')
  return { kind: 'ipfs', key, cid, path }
}

function arweavePointer(id: string, path: string): ContentPointer {
  return { kind: 'arweave', key: `arweave:${id}${path === '' ? '' : `/${path}`}`, id, path }
}

/** Reads a text that says by itself where content is: as for IPFS, or an id of Arweave; null for any other text. */
export function parsePublicPointer(text: string): ContentPointer | null {
  const isArweave = /^\s*(?:ar:\/\/|https?:\/\/(?:[^/]+\.)?arweave\.net\/)/i.test(text)
  return parseContentPointer(isArweave ? 'ARWEAVE' : 'IPFS', text)
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

/** Base 32 of RFC 4648 is the usual one, 36 that of subdomains, 58 that of version 0. */
const bases = base32.decoder.or(base36.decoder).or(base58btc.decoder).or(base16.decoder)

/**
 * Reads an identifier of version 0 (`Qm…`) or 1 in base 16, 32, 36 or 58 over SHA-256; null for any other. Bases that
 * know no capitals are read in either case: `text` is in lower case then.
 */
export function parseContentId(text: string): ContentId | null {
  const normal = /^[bkf]/i.test(text) ? text.toLowerCase() : text
  try {
    const read = readContentId(CID.parse(normal, bases))
    return read && { text: normal, ...read }
  } catch {
    return null
  }
}

/** Reads an identifier as links of blocks have it. */
export function readContentId({ code, multihash }: CID): Omit<ContentId, 'text'> | null {
  const codec = code === raw.code ? 'raw' : code === dagPbCode ? 'dag-pb' : null
  const isSha256 = multihash.code === sha256Code && multihash.digest.length === 32
  return codec !== null && isSha256 ? { codec, digest: bytesToHex(multihash.digest) } : null
}

export function sha256Hex(bytes: Uint8Array): string {
  return bytesToHex(sha256(bytes))
}
