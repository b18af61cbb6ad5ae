import { isJsonObject } from '@attestry/core/model/jsonObject.ts'
import {
  BadParameterError,
  BlockNotCanonicalError,
  BlockNotIndexedError,
} from '@attestry/core/errors/apiErrors.ts'
import type { ChainStatus } from '@attestry/core/model/chainState.ts'
import { parseChainId, type ChainId } from '@attestry/core/model/compositeId.ts'
import { parseHash, type Hash } from '@attestry/core/model/hex.ts'
import { blockNumberMax } from '@attestry/core/model/position.ts'
import type { ValidAsOf, ValidAt } from '@attestry/core/index/indexQueries.ts'
import type { PastReader } from '@attestry/core/index/indexReader.ts'
import { unixSecondsMax } from '@attestry/server/pipeline/parameters/timeParameters.ts'

/**
 * The state of an index that an answer was of: its members `asOf` and `at`. A request that sends them back is
 * answered in the same state, by this index or another one.
 */
export interface IndexState {
  readonly kind: 'state'
  /** When expiry and ages are counted, in Unix seconds. */
  readonly at: number
  /** The newest block of each chain that counts. */
  readonly blocks: ReadonlyMap<ChainId, StateBlock>
}

/** null: what had happened at the time of the state counts. */
interface StateBlock {
  readonly block: number | null
  readonly hash: Hash | null
}

/**
 * Reads the members `asOf`, a list, and `at` of a request.
 * @throws BadParameterError
 */
export function readIndexState(asOf: readonly unknown[], at: unknown): IndexState {
  if (!isWhole(at, unixSecondsMax)) {
    throw new BadParameterError('at must be the Unix seconds of the answer that the list asOf is of.')
  }
  const blocks = asOf.map((each, index): [ChainId, StateBlock] => {
    const { chainId, block = null, hash = null } = isJsonObject(each) ? each : {}
    const known = hash === null ? null : typeof hash === 'string' ? parseHash(hash) : undefined
    const chain = typeof chainId === 'string' ? parseChainId(chainId) : null
    if (
      chain === null ||
      !(block === null || isWhole(block, blockNumberMax)) ||
      known === undefined ||
      (hash !== null && known === null)
    ) {
      throw new BadParameterError(
        `asOf[${index}] must be an object with chainId, block and hash as answers have them.`,
      )
    }
    return [chain, { block, hash: known }]
  })
  return { kind: 'state', at, blocks: new Map(blocks) }
}

/**
 * Checks that the index has the blocks of a state.
 * @throws BlockNotIndexedError for a block above the newest indexed one.
 * @throws BlockNotCanonicalError for a block that has another hash here.
 * @throws BadParameterError for a chain of the policy that the state does not have.
 */
export async function checkState(
  reader: Pick<PastReader, 'findBlock'>,
  { blocks }: IndexState,
  chainIds: readonly ChainId[],
  statusOf: (chainId: ChainId) => Pick<ChainStatus, 'indexedBlock'> | undefined,
): Promise<void> {
  for (const chainId of chainIds) {
    const wanted = blocks.get(chainId)
    if (wanted === undefined)
      throw new BadParameterError(`asOf must name a block of chain ${chainId}, which the policy needs.`)
    const status = statusOf(chainId)
    // Of a chain that is not indexed, the verdict says so.
    if (status === undefined || wanted.block === null) continue
    const { indexedBlock } = status
    if (indexedBlock === null || wanted.block > indexedBlock) {
      throw new BlockNotIndexedError(
        `Block ${wanted.block} of chain ${chainId} is not indexed yet; the newest indexed block is ${indexedBlock ?? 'none'}.`,
      )
    }
    const found = await reader.findBlock(chainId, { number: wanted.block })
    if (found !== null && wanted.hash !== null && found.hash !== wanted.hash) {
      throw new BlockNotCanonicalError(
        `Block ${wanted.block} of chain ${chainId} has the hash ${found.hash} here, not ${wanted.hash}.`,
      )
    }
  }
}

/** The condition for validity on a chain in a state. */
export function validInState({ at, blocks }: IndexState, chainId: ChainId): ValidAt | ValidAsOf {
  const block = blocks.get(chainId)?.block ?? null
  return block === null ? { kind: 'then', at } : { kind: 'block', at, block }
}

function isWhole(value: unknown, maximum: number): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= maximum
}
