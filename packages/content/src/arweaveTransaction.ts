import { constants, createHash, createPublicKey, verify } from 'node:crypto'

/**
 * Transactions of Arweave as gateways answer them (`/tx/<id>`, https://docs.arweave.org/developers/arweave-node-server/http-api).
 * The id is the hash of the signature, and the signature covers the data. In format 1 it covers the bytes themselves, in
 * format 2 their size and the root of a tree over their chunks.
 */

/** Says whether bytes are the data of a transaction. */
export type DataCheck = (bytes: Uint8Array) => boolean

/**
 * @param json a body of JSON.
 * @returns null if the body is not the transaction with this id, or has no signature by a key of RSA.
 */
export function readTransaction(json: Uint8Array, id: string): DataCheck | null {
  const signed = parseTransaction(json)
  if (signed === null || sha256(signed.signature).toString('base64url') !== id) return null
  const { format, owner, target, quantity, reward, lastTx, tags, dataSize, dataRoot } = signed
  if (format === 1) {
    return (bytes) =>
      isSignature(signed, Buffer.concat([owner, target, bytes, quantity, reward, lastTx, ...tags.flat()]))
  }
  const message = deepHash([
    Buffer.from('2'),
    owner,
    target,
    quantity,
    reward,
    lastTx,
    tags,
    dataSize,
    dataRoot,
  ])
  if (format !== 2 || !isSignature(signed, message)) return null
  return (bytes) =>
    String(bytes.length) === dataSize.toString() &&
    layouts.some((layout) => rootOf(layout(bytes.length), bytes).equals(dataRoot))
}

interface SignedTransaction {
  readonly format: unknown
  /** The modulus of the key. */
  readonly owner: Buffer
  readonly signature: Buffer
  readonly target: Buffer
  readonly quantity: Buffer
  readonly reward: Buffer
  readonly lastTx: Buffer
  readonly tags: readonly (readonly Buffer[])[]
  readonly dataSize: Buffer
  readonly dataRoot: Buffer
}

function parseTransaction(json: Uint8Array): SignedTransaction | null {
  try {
    const body = JSON.parse(Buffer.from(json).toString()) as Readonly<Record<string, unknown>>
    const text = (value: unknown) => (typeof value === 'string' ? value : '')
    const decoded = (value: unknown) => Buffer.from(text(value), 'base64url')
    const tags = Array.isArray(body.tags) ? (body.tags as readonly Readonly<Record<string, unknown>>[]) : []
    return {
      format: body.format ?? 1,
      owner: decoded(body.owner),
      signature: decoded(body.signature),
      target: decoded(body.target),
      quantity: Buffer.from(text(body.quantity)),
      reward: Buffer.from(text(body.reward)),
      lastTx: decoded(body.last_tx),
      tags: tags.map(({ name, value }) => [decoded(name), decoded(value)]),
      dataSize: Buffer.from(text(body.data_size)),
      dataRoot: decoded(body.data_root),
    }
  } catch {
    return null
  }
}

function isSignature({ owner, signature }: SignedTransaction, message: Uint8Array): boolean {
  try {
    const key = { kty: 'RSA', n: owner.toString('base64url'), e: 'AQAB' }
    const padding = constants.RSA_PKCS1_PSS_PADDING
    return verify('sha256', message, { key: createPublicKey({ key, format: 'jwk' }), padding }, signature)
  } catch {
    // No modulus of a key.
    return false
  }
}

type Blob = Buffer | readonly Blob[]

function deepHash(value: Blob): Buffer {
  if (!Array.isArray(value)) {
    const bytes = value as Buffer
    return sha384(sha384(Buffer.from(`blob${bytes.length}`)), sha384(bytes))
  }
  const items = value as readonly Blob[]
  return items.reduce<Buffer>(
    (hash, item) => sha384(hash, deepHash(item)),
    sha384(Buffer.from(`list${items.length}`)),
  )
}

const chunkBytesMax = 262_144

/** The ends of the chunks into which clients and nodes have cut so many bytes. */
const layouts: readonly ((size: number) => readonly number[])[] = [evenEnds, withEmptyEnd, withBalancedEnd]

/** Full chunks and the rest. */
function evenEnds(size: number): readonly number[] {
  const count = Math.max(1, Math.ceil(size / chunkBytesMax))
  return Array.from({ length: count }, (_, at) => Math.min(size, (at + 1) * chunkBytesMax))
}

/** As first nodes and clients did: a rest of no bytes is a chunk too. */
function withEmptyEnd(size: number): readonly number[] {
  return size % chunkBytesMax === 0 && size > 0 ? [...evenEnds(size), size] : evenEnds(size)
}

/** A rest shares its bytes with the chunk before it; clients differ in how small a rest does. */
function withBalancedEnd(size: number): readonly number[] {
  const ends = evenEnds(size)
  const start = ends.at(-3) ?? 0
  return [...ends.slice(0, -2), start + Math.ceil((size - start) / 2), size]
}

/** The root of the tree over chunks: each node has a hash, and where its bytes end. */
function rootOf(ends: readonly number[], bytes: Uint8Array): Buffer {
  let nodes = ends.map((end, at) => {
    const hash = sha256(bytes.subarray(ends[at - 1] ?? 0, end))
    return { end, hash: sha256(sha256(hash), sha256(noteOf(end))) }
  })
  while (nodes.length > 1) {
    nodes = nodes.flatMap((left, at) => {
      const right = nodes[at + 1]
      if (at % 2 === 1) return []
      if (right === undefined) return [left]
      const hash = sha256(sha256(left.hash), sha256(right.hash), sha256(noteOf(left.end)))
      return [{ end: right.end, hash }]
    })
  }
  return nodes[0]?.hash ?? Buffer.alloc(0)
}

/** A number in 32 bytes. */
function noteOf(value: number): Buffer {
  const note = Buffer.alloc(32)
  note.writeUIntBE(value, 26, 6)
  return note
}

const sha256 = (...parts: readonly Uint8Array[]) => hashOf('sha256', parts)
const sha384 = (...parts: readonly Uint8Array[]) => hashOf('sha384', parts)

function hashOf(algorithm: string, parts: readonly Uint8Array[]): Buffer {
  const hash = createHash(algorithm)
  for (const part of parts) hash.update(part)
  return hash.digest()
}
