import { readContentIdBytes, type ContentId } from '@attestry/core/model/contentPointer.ts'

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
  // Raw leaves of old files are of type 0, files of type 2.
  if (type !== 0 && type !== 2)
    throw new NoFileError(type === folderType || type === shardType ? 'it is a folder' : 'it is no file')
  return { bytes, links: links.map(parseLink) }
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
  const entry = links.find((link) => nameOf(link) === name)
  return entry === undefined ? null : parseLink(entry)
}

/** Types of data of UnixFS. */
const folderType = 1
const shardType = 5

function parseNode(node: Uint8Array) {
  const links: Uint8Array[] = []
  let data: Uint8Array | null = null
  for (const { number, value } of readFields(node)) {
    if (number === 2 && value instanceof Uint8Array) {
      if (links.length === linksMax) throw new NoFileError(`a node has more than ${linksMax} links`)
      links.push(value)
    } else if (number === 1 && value instanceof Uint8Array) data = value
  }
  if (data === null) throw new NoFileError('a node has no data of UnixFS')
  let [type, bytes] = [-1, new Uint8Array()]
  for (const { number, value } of readFields(data)) {
    if (number === 1 && typeof value === 'number') type = value
    else if (number === 2 && value instanceof Uint8Array) bytes = new Uint8Array(value)
  }
  return { type, bytes, links }
}

function nameOf(link: Uint8Array): string | null {
  for (const { number, value } of readFields(link)) {
    if (number === 2 && value instanceof Uint8Array) return new TextDecoder().decode(value)
  }
  return null
}

function parseLink(bytes: Uint8Array): FileLink {
  for (const { number, value } of readFields(bytes)) {
    if (number !== 1 || !(value instanceof Uint8Array)) continue
    const link = readContentIdBytes(value)
    if (link !== null) return link
  }
  throw new NoFileError('a link of it has another hash than SHA-256')
}

interface Field {
  readonly number: number
  readonly value: number | Uint8Array
}

/** The fields of a message of protocol buffers; only varints and bytes occur. */
function* readFields(bytes: Uint8Array): Generator<Field> {
  let at = 0
  const readVarint = (): number => {
    let [value, scale] = [0, 1]
    for (let count = 0; count < 8; count++) {
      const byte = bytes[at++]
      if (byte === undefined) break
      value += (byte & 0x7f) * scale
      if (byte < 0x80) return value
      scale *= 0x80
    }
    throw new NoFileError('a node is no DAG-PB')
  }
  while (at < bytes.length) {
    const tag = readVarint()
    const number = Math.floor(tag / 8)
    if (tag % 8 === 0) yield { number, value: readVarint() }
    else if (tag % 8 === 2) {
      const length = readVarint()
      if (at + length > bytes.length) throw new NoFileError('a node is cut')
      yield { number, value: bytes.subarray(at, at + length) }
      at += length
    } else throw new NoFileError('a node is no DAG-PB')
  }
}
