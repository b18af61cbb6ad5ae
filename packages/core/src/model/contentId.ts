import * as dagPb from '@ipld/dag-pb'
import { sha256 } from '@noble/hashes/sha2.js'
import { UnixFS } from 'ipfs-unixfs'
import { CID } from 'multiformats/cid'
import { create } from 'multiformats/hashes/digest'

/** Content identifiers of IPFS (https://docs.ipfs.tech/concepts/content-addressing): what a text is found by. */

/** Bytes of a file that IPFS keeps in one block. */
export const fileBlockBytesMax = 262_144

/** The code of SHA-256 in a multihash (https://github.com/multiformats/multicodec). */
export const sha256Code = 0x12

/**
 * The identifier that `ipfs add` gives a file of at most `fileBlockBytesMax` bytes: version 0, of one node of UnixFS.
 */
export function contentIdOfFile(bytes: Uint8Array): string {
  return contentIdOfNode(encodeFileNode(bytes)).toString()
}

/** The identifier of version 0 (`Qm…`) of a node. */
export function contentIdOfNode(node: Uint8Array): CID {
  return CID.createV0(create(sha256Code, sha256(node)))
}

/** The node of DAG-PB that holds a file in one block. */
export function encodeFileNode(bytes: Uint8Array): Uint8Array {
  if (bytes.length > fileBlockBytesMax) throw new RangeError(`a block holds ${fileBlockBytesMax} bytes`)
  const data = bytes.length === 0 ? {} : { data: new Uint8Array(bytes) }
  return dagPb.encode(dagPb.createNode(new UnixFS({ type: 'file', ...data }).marshal()))
}
