import { Type, type Static } from 'typebox'
import { Check } from 'typebox/schema'
import { ChunksRefusedError } from '@attestry/core/errors/chunkErrors.ts'
import type { ChainId } from '@attestry/core/model/compositeId.ts'
import type { Address } from '@attestry/core/model/hex.ts'
import { blockNumberMax } from '@attestry/core/model/position.ts'
import { digestVersion } from '@attestry/store/layout/eventDigest.ts'

/** The version of manifest and chunks: moved when either means something else. */
export const chunksVersion = 1
const format = 'attestry-chunks'

/** The path of the manifest below the place of the chunks. */
export const manifestPath = 'manifest.json'
export const manifestBytesMax = 32 * 2 ** 20

/** The text of a chunk is cut at the end of the block in which it reaches so many bytes. */
export const chunkTextBytes = 16 * 2 ** 20
/** The longest text of a chunk that is read: a block may have more than the above. */
const textBytesMax = 256 * 2 ** 20

const block = Type.Integer({ minimum: 0, maximum: blockNumberMax })
const count = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER })
const hash = Type.String({ pattern: '^0x[0-9a-f]{64}$' })
const address = Type.Unsafe<Address>(Type.String({ pattern: '^0x[0-9a-f]{40}$' }))

/** No segment begins with a dot, so that no path leaves its folder. */
const path = Type.String({ maxLength: 200, pattern: '^[a-z0-9][a-z0-9._-]*(/[a-z0-9][a-z0-9._-]*)*$' })

const chunkSchema = Type.Object({
  path,
  fromBlock: block,
  toBlock: block,
  /** Events of the chunk. */
  events: count,
  /** The digest of the chain at `toBlock` (docs/adr/0020). */
  digest: hash,
  /** Of the file. */
  sha256: Type.String({ pattern: '^[0-9a-f]{64}$' }),
  /** Of the file, and of the text in it. */
  bytes: Type.Integer({ minimum: 1, maximum: textBytesMax }),
  textBytes: Type.Integer({ minimum: 0, maximum: textBytesMax }),
})

const contractSchema = Type.Object({
  protocol: Type.String(),
  address,
  schemaRegistry: Type.Union([address, Type.Null()]),
  portalRegistry: Type.Optional(address),
  moduleRegistry: Type.Optional(address),
  reputationRegistry: Type.Optional(address),
  validationRegistry: Type.Optional(address),
  startBlock: block,
})

const chainSchema = Type.Object({
  chainId: Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER }),
  name: Type.String({ minLength: 1, maxLength: 200 }),
  contracts: Type.Array(contractSchema, { minItems: 1, maxItems: 1_000 }),
  /** Whether records have the senders of their transactions. */
  transactionSenders: Type.Boolean(),
  /** The last block; blocks after the last chunk have no events. */
  block,
  timestamp: Type.Union([count, Type.Null()]),
  events: count,
  digest: hash,
  chunks: Type.Array(chunkSchema),
})

const manifestSchema = Type.Object({
  format: Type.Literal(format),
  version: Type.Literal(chunksVersion),
  /** The version of the program that wrote it. */
  program: Type.String({ maxLength: 100 }),
  digestVersion: Type.Literal(digestVersion),
  chains: Type.Array(chainSchema),
  /** Chunks of the manifest before this one, which are deleted with the next. */
  superseded: Type.Array(path),
})

export type Chunk = Static<typeof chunkSchema>
export type PublishedChain = Static<typeof chainSchema>
export type Manifest = Static<typeof manifestSchema>

/** A manifest without what is the same in all of them. */
export function createManifest(
  program: string,
  chains: readonly PublishedChain[],
  superseded: readonly string[],
): Manifest {
  return {
    format,
    version: chunksVersion,
    program,
    digestVersion,
    chains: [...chains],
    superseded: [...superseded],
  }
}

/**
 * Reads the JSON of a manifest; `place` names where it was found.
 * @throws ChunksRefusedError if it is not a manifest of this program, or contradicts itself.
 */
export function readManifest(json: unknown, place: string): Manifest {
  const other = describeVersion(json)
  if (other !== null) throw new ChunksRefusedError(`The manifest of ${place} ${other}`)
  if (!Check(manifestSchema, json)) {
    throw new ChunksRefusedError(
      `The manifest of ${place} is none of this program: it is cut, or was changed`,
    )
  }
  const seen = new Set<ChainId>()
  for (const chain of json.chains) {
    const contradiction = seen.has(chain.chainId) ? 'it is there twice' : findContradiction(chain)
    seen.add(chain.chainId)
    if (contradiction === null) continue
    throw new ChunksRefusedError(
      `The manifest of ${place} contradicts itself about chain ${chain.chainId}: ${contradiction}`,
    )
  }
  return json
}

/** Names the version of a manifest of another version; null for this version or no version. */
function describeVersion(json: unknown): string | null {
  const {
    format: found,
    version,
    digestVersion: digest,
  } = (typeof json === 'object' && json !== null ? json : {}) as Record<string, unknown>
  if (found !== format || typeof version !== 'number' || typeof digest !== 'number') return null
  if (version === chunksVersion && digest === digestVersion) return null
  return (
    `has version ${version} with digests of version ${digest}, but this program reads version ${chunksVersion} with digests of ` +
    `version ${digestVersion}; run the version of the program that published it, or have it published by this one`
  )
}

function findContradiction({
  contracts,
  block: lastBlock,
  chunks,
  events,
  digest,
}: PublishedChain): string | null {
  let next = firstBlockOf(contracts)
  let counted = 0
  for (const [index, chunk] of chunks.entries()) {
    if (chunk.fromBlock !== next || chunk.toBlock < chunk.fromBlock) {
      return `chunk ${index} has the blocks ${chunk.fromBlock} to ${chunk.toBlock}, where block ${next} comes next`
    }
    next = chunk.toBlock + 1
    counted += chunk.events
  }
  if (next - 1 > lastBlock) return `its chunks reach block ${next - 1}, but it ends at block ${lastBlock}`
  if (counted !== events) return `its chunks have ${counted} events, but it has ${events}`
  const last = chunks.at(-1)
  if (last !== undefined && last.digest !== digest) return 'its digest is not that of its last chunk'
  return null
}

/** The first block of a chain that is published: that of its oldest contract. */
export function firstBlockOf(contracts: PublishedChain['contracts']): number {
  return Math.min(...contracts.map(({ startBlock }) => startBlock))
}
