import * as dagPb from '@ipld/dag-pb'
import { UnixFS } from 'ipfs-unixfs'
import { readContentId, type ContentId } from '@attestry/core/model/contentPointer.ts'

/**
 * Files of IPFS: nodes of DAG-PB with the data of UnixFS (https://specs.ipfs.tech/unixfs/). A file is its own bytes, and
 * those of the blocks that it links to, in their order.
 */

export interface FileNode {
  readonly bytes: Uint8Array
  /** SHA-256 and codec of each linked block. */
  readonly links: readonly FileLink[]
}

export type FileLink = Omit<ContentId, 'text'>

/** A node that is no file, or no node. The message is a part of a sentence. */
export class NoFileError extends Error {}

/** Most links of a node: a file of the largest size that is read has far fewer, and a larger folder is sharded. */
const linksMax = 8_192

/** @throws NoFileError */
export function parseFileNode(node: Uint8Array): FileNode {
  const { type, bytes, links } = parseNode(node)
  // Leaves of old files are raw.
  if (type !== 'raw' && type !== 'file')
    throw new NoFileError(type === folderType || type === shardType ? 'it is a folder' : 'it is no file')
  return { bytes, links: links.map(readLink) }
}

/**
 * The entry of a folder with a name; null if the folder has no such entry.
 * @throws NoFileError for a node that is no folder, or one that stands in several blocks (HAMT).
 */
export function findEntry(node: Uint8Array, name: string): FileLink | null {
  const { type, links } = parseNode(node)
  if (type === shardType) throw new NoFileError('its folder stands in several blocks')
  if (type !== folderType)
    throw new NoFileError(`nothing named ${JSON.stringify(name)} can be in it: it is no folder`)
  const entry = links.find((link) => link.Name === name)
  return entry === undefined ? null : readLink(entry)
}

const folderType = 'directory'
const shardType = 'hamt-sharded-directory'

function parseNode(node: Uint8Array) {
  const { Links: links, Data: data } = decode(() => dagPb.decode(node), 'a node is no DAG-PB')
  if (links.length > linksMax) throw new NoFileError(`a node has more than ${linksMax} links`)
  const unixFs = decode(() => UnixFS.unmarshal(data ?? new Uint8Array()), 'a node has no data of UnixFS')
  return { type: unixFs.type, bytes: unixFs.data ?? new Uint8Array(), links }
}

/** @throws NoFileError with the sentence if the bytes cannot be decoded. */
function decode<Node>(run: () => Node, sentence: string): Node {
  try {
    return run()
  } catch {
    throw new NoFileError(sentence)
  }
}

/** @throws NoFileError for an identifier whose hash is not recomputed here. */
function readLink({ Hash: identifier }: dagPb.PBLink): FileLink {
  const link = readContentId(identifier)
  if (link === null) throw new NoFileError('a link of it has another hash than SHA-256')
  return link
}
