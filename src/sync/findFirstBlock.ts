import type { ChainClient } from '../chain/chainClient.ts'
import type { AttestryError } from '../errors/baseError.ts'
import { RpcMissingError, RpcRefusedError } from '../errors/rpcErrors.ts'
import type { Address } from '../model/hex.ts'

/**
 * Where the history of a contract begins.
 * `found`: it stood there after that block, and not after the one before.
 * `unsure`: no endpoint tells the code at older blocks; the contract cannot be older than that block, but may be younger.
 * `noContract`: nothing stands there yet.
 */
export type FirstBlock =
  | { readonly kind: 'found'; readonly blockNumber: number }
  | { readonly kind: 'unsure'; readonly blockNumber: number; readonly reason: AttestryError }
  | { readonly kind: 'noContract' }

/**
 * Finds the block that brought a contract's code, by halving what is left of the chain up to `headBlock`. It counts from when
 * code stands at the address: a proxy from its own deployment, whatever it pointed to since; a predeploy from block 0. An
 * address whose code was destroyed and came again has several such blocks, of which one is found: for such a contract the
 * first block must be spelled out.
 * @throws what the client throws, but for states that no endpoint has.
 */
export async function findFirstBlock(
  client: Pick<ChainClient, 'hasCode'>,
  address: Address,
  headBlock: number,
  signal: AbortSignal,
): Promise<FirstBlock> {
  try {
    if (!(await client.hasCode(address, headBlock, signal))) return { kind: 'noContract' }
  } catch (error) {
    // No endpoint knows `eth_getCode`. An endpoint that lacks the state of the head is merely late, and is asked again.
    if (!(error instanceof RpcRefusedError)) throw error
    return { kind: 'unsure', blockNumber: 0, reason: error }
  }
  let without = -1
  let within = headBlock
  try {
    while (within - without > 1) {
      const middle = Math.floor((without + within) / 2)
      if (await client.hasCode(address, middle, signal)) within = middle
      else without = middle
    }
  } catch (error) {
    if (!isMissingState(error)) throw error
    return { kind: 'unsure', blockNumber: without + 1, reason: error }
  }
  return { kind: 'found', blockNumber: within }
}

/**
 * Whether a first block that was found earlier, or was configured earlier, still holds: nothing stood there before it. A state
 * that no endpoint has proves nothing against it.
 */
export async function isFirstBlock(
  client: Pick<ChainClient, 'hasCode'>,
  address: Address,
  blockNumber: number,
  signal: AbortSignal,
): Promise<boolean> {
  if (blockNumber === 0) return true
  try {
    return !(await client.hasCode(address, blockNumber - 1, signal))
  } catch (error) {
    if (isMissingState(error)) return true
    throw error
  }
}

/** Pruned nodes say that they lack the state, or refuse the call for want of a plan with an archive. */
function isMissingState(error: unknown): error is AttestryError {
  return error instanceof RpcMissingError || error instanceof RpcRefusedError
}
