import { BadParameterError, BlockNotCanonicalError, BlockNotIndexedError } from '../../errors/apiErrors.ts'
import type { ChainId } from '../../model/compositeId.ts'
import { parseHash, type Hash } from '../../model/hex.ts'
import { blockNumberMax } from '../../model/position.ts'
import type { ValidAsOf, ValidAt } from '../../store/indexQueries.ts'
import type { IndexReader } from '../../store/indexReader.ts'
import { unixSecondsMax } from '../parameters/timeParameters.ts'
import { quoteInput } from '../quoteInput.ts'

/** A moment that a question is about: a block of one chain, or a time for all chains. */
export type AsOf =
  | { readonly kind: 'block'; readonly chainId: ChainId; readonly block: number | Hash }
  | { readonly kind: 'time'; readonly at: number }

/** A moment that was looked up. `at` is the time of the block. */
export type ResolvedAsOf =
  | {
      readonly kind: 'block'
      readonly chainId: ChainId
      readonly block: number
      readonly hash: Hash
      readonly at: number
    }
  | { readonly kind: 'time'; readonly at: number }

const shape = '<chainId>:<block number>, <chainId>:<block hash> or Unix seconds'

/** @throws BadParameterError */
export function readAsOf(value: unknown): AsOf {
  const text = typeof value === 'number' ? String(value) : value
  if (typeof text !== 'string') throw badAsOf(`asOf must be ${shape}.`)
  const [, chain, block] = /^([1-9][0-9]{0,15}):(0x[0-9a-fA-F]{64}|[0-9]{1,16})$/.exec(text) ?? []
  if (chain !== undefined && block !== undefined) {
    const hash = parseHash(block)
    if (hash !== null) return { kind: 'block', chainId: Number(chain), block: hash }
    if (Number(block) <= blockNumberMax)
      return { kind: 'block', chainId: Number(chain), block: Number(block) }
  }
  if (/^[0-9]{1,12}$/.test(text) && Number(text) <= unixSecondsMax) return { kind: 'time', at: Number(text) }
  throw badAsOf(`asOf must be ${shape}; it was ${quoteInput(text)}.`)
}

/**
 * Looks a moment up in the index.
 * @throws BlockNotIndexedError for a block above the newest indexed one.
 * @throws BlockNotCanonicalError for a hash that no indexed block has.
 * @throws BadParameterError for a chain that is not indexed, and for a block whose time the index no longer keeps.
 */
export async function resolveAsOf(reader: Pick<IndexReader, 'findBlock'>, asOf: AsOf): Promise<ResolvedAsOf> {
  if (asOf.kind === 'time') return asOf
  const { chainId, block: wanted } = asOf
  const newest = await reader.findBlock(chainId, 'newest')
  if (newest === null) throw badAsOf(`asOf must name an indexed chain; chain ${chainId} is not indexed here.`)
  if (typeof wanted === 'number' && wanted > newest.number) {
    throw new BlockNotIndexedError(
      `Block ${wanted} of chain ${chainId} is not indexed yet; the newest indexed block is ${newest.number}.`,
      { retryable: true, facts: { indexedBlock: newest.number } },
    )
  }
  const found = await reader.findBlock(
    chainId,
    typeof wanted === 'number' ? { number: wanted } : { hash: wanted },
  )
  if (found !== null) {
    return { kind: 'block', chainId, block: found.number, hash: found.hash, at: found.timestamp }
  }
  if (typeof wanted !== 'number') {
    throw new BlockNotCanonicalError(
      `No block with this hash is among the newest blocks of chain ${chainId} that are indexed; name the block by its number.`,
    )
  }
  throw badAsOf(
    `The time of block ${wanted} of chain ${chainId} is no longer kept; give asOf as the time of the block in Unix seconds.`,
  )
}

/** What is valid on a chain at a moment. On other chains than that of a block, the time of the block counts. */
export function validAsOf(
  asOf: ResolvedAsOf | null,
  chainId: ChainId,
  nowSeconds: number,
): ValidAt | ValidAsOf {
  if (asOf === null) return { kind: 'now', at: nowSeconds }
  if (asOf.kind === 'block' && asOf.chainId === chainId)
    return { kind: 'block', at: asOf.at, block: asOf.block }
  return { kind: 'then', at: asOf.at }
}

function badAsOf(message: string): BadParameterError {
  return new BadParameterError(message, { facts: { parameter: 'asOf' } })
}
