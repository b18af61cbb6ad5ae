import type { ChainClient } from '../chain/chainClient.ts'
import type { AttestryError } from '../errors/baseError.ts'
import { RpcMissingError, RpcRefusedError } from '../errors/rpcErrors.ts'
import type { Address } from '../model/hex.ts'

/**
 * The first block of a contract.
 * `found`: the address has code after this block, and had none after the block before.
 * `unsure`: no endpoint has the code at older blocks. The contract is not older than this block, but may be younger.
 * `noContract`: the address has no code yet.
 */
export type FirstBlock =
  | { readonly kind: 'found'; readonly blockNumber: number }
  | { readonly kind: 'unsure'; readonly blockNumber: number; readonly reason: AttestryError }
  | { readonly kind: 'noContract' }

/**
 * Finds the block of a contract's deployment by a binary search up to `headBlock`. A proxy counts from its own
 * deployment, a predeploy from block 0. An address whose code was destroyed and deployed again has several such blocks,
 * of which the search finds one; the first block of such a contract must be configured. The search begins at `hint`,
 * which may be wrong.
 * @throws the errors of the client, except those of states that no endpoint has.
 */
export async function findFirstBlock(
  client: Pick<ChainClient, 'hasCode'>,
  address: Address,
  headBlock: number,
  signal: AbortSignal,
  hint: number | null = null,
): Promise<FirstBlock> {
  try {
    if (!(await client.hasCode(address, headBlock, signal))) return { kind: 'noContract' }
  } catch (error) {
    // No endpoint knows `eth_getCode`. (An endpoint without the state of the head is late, and is asked again.)
    if (!(error instanceof RpcRefusedError)) throw error
    return { kind: 'unsure', blockNumber: 0, reason: error }
  }
  let without = -1
  let within = headBlock
  // A right hint ends the search with two questions.
  const hinted = hint === null ? [] : [hint, hint - 1]
  try {
    while (within - without > 1) {
      const proposed = hinted.shift() ?? -1
      const isUseful = proposed > without && proposed < within
      const middle = isUseful ? proposed : Math.floor((without + within) / 2)
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
 * Whether a remembered first block still holds: the address had no code before. A state that no endpoint has proves
 * nothing against the block.
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

/** Pruned nodes report a missing state, or refuse the call without a plan that includes an archive. */
function isMissingState(error: unknown): error is AttestryError {
  return error instanceof RpcMissingError || error instanceof RpcRefusedError
}
