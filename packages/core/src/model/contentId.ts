import { encodeBase58 } from './baseTexts.ts'
import { sha256 } from '@noble/hashes/sha2.js'

/** Content identifiers of IPFS (https://docs.ipfs.tech/concepts/content-addressing): what a text is found by. */

/** Bytes of a file that IPFS keeps in one block. */
export const fileBlockBytesMax = 262_144

/**
 * The identifier that `ipfs add` gives a file of at most `fileBlockBytesMax` bytes: version 0, of one node of UnixFS.
 */
export function contentIdOfFile(bytes: Uint8Array): string {
  return contentIdOfNode(encodeFileNode(bytes))
}

/** The identifier of version 0 (`Qm…`) of a node: the multihash of its bytes in base58. */
function contentIdOfNode(node: Uint8Array): string {
  return encodeBase58(contentIdBytes(node))
}

/** The identifier of version 0 of a node as bytes: the multihash of SHA-256. */
export function contentIdBytes(node: Uint8Array): Uint8Array {
  return Uint8Array.from([0x12, 0x20, ...sha256(node)])
}

/** The node of DAG-PB that holds a file in one block: `Data` is a file of UnixFS with its bytes and their number. */
export function encodeFileNode(bytes: Uint8Array): Uint8Array {
  if (bytes.length > fileBlockBytesMax) throw new RangeError(`a block holds ${fileBlockBytesMax} bytes`)
  const size = encodeVarint(bytes.length)
  const data = bytes.length === 0 ? [] : [0x12, ...size, ...bytes]
  const unixFs = Uint8Array.from([0x08, 0x02, ...data, 0x18, ...size])
  return Uint8Array.from([0x0a, ...encodeVarint(unixFs.length), ...unixFs])
}

/** An unsigned number as a varint of protocol buffers. */
export function encodeVarint(value: number): number[] {
  const bytes: number[] = []
  let rest = value
  for (; rest >= 0x80; rest = Math.floor(rest / 0x80)) bytes.push((rest % 0x80) | 0x80)
  bytes.push(rest)
  return bytes
}
