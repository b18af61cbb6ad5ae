import {
  isMissingState,
  type ChainClient,
  type CodeAnswer,
  type CodeCertainty,
} from '../chain/chainClient.ts'
import type { AttestryError } from '../errors/baseError.ts'
import { RpcRefusedError, RpcUnconfirmedError } from '../errors/rpcErrors.ts'
import { InconsistentChainError } from '../errors/reorgErrors.ts'
import type { Address } from '../model/hex.ts'

/**
 * The first block of a contract.
 * `found`: the address has code after this block, and had none after the block before. `certainty` is that of the latter:
 * records before the block would be left out. If it is `disputed`, endpoints disagree about the former, and the contract
 * may be younger.
 * `unsure`: no endpoint has the code at older blocks. The contract is not older than this block, but may be younger.
 * `noContract`: the address has no code yet.
 */
export type FirstBlock =
  | {
      readonly kind: 'found'
      readonly blockNumber: number
      readonly certainty: CodeCertainty
      /** The endpoints that said so, or that disagree. */
      readonly hosts: readonly string[]
    }
  | { readonly kind: 'unsure'; readonly blockNumber: number; readonly reason: AttestryError }
  | { readonly kind: 'noContract' }

/**
 * Finds the block of a contract's deployment by a binary search up to `headBlock`. A proxy counts from its own
 * deployment, a predeploy from block 0. An address whose code was destroyed and deployed again has several such blocks,
 * of which the search finds one; the first block of such a contract must be configured. The search begins at `hint`,
 * which may be wrong. If endpoints disagree, the contract counts as deployed.
 * @throws RpcUnconfirmedError, retryable, if only one endpoint says that there was no code before a block, others may
 *   know better, and `hint` is another block.
 * @throws the errors of the client, except those of states that no endpoint has.
 */
export async function findFirstBlock(
  client: Pick<ChainClient, 'fetchCode'>,
  address: Address,
  headBlock: number,
  signal: AbortSignal,
  hint: number | null = null,
): Promise<FirstBlock> {
  let later: CodeAnswer
  try {
    later = await client.fetchCode(address, headBlock, signal)
    if (!later.exists) return { kind: 'noContract' }
  } catch (error) {
    // No endpoint knows `eth_getCode`. (An endpoint without the state of the head is late, and is asked again.)
    if (!(error instanceof RpcRefusedError)) throw error
    return { kind: 'unsure', blockNumber: 0, reason: error }
  }
  // Before block 0 nothing has code.
  let earlier: CodeAnswer = { exists: false, certainty: 'agreed', hosts: [] }
  let without = -1
  let within = headBlock
  // A right hint ends the search with two questions.
  const hinted = hint === null ? [] : [hint, hint - 1]
  try {
    while (within - without > 1) {
      const proposed = hinted.shift() ?? -1
      const isUseful = proposed > without && proposed < within
      const middle = isUseful ? proposed : Math.floor((without + within) / 2)
      const code = await client.fetchCode(address, middle, signal)
      if (code.exists) [later, within] = [code, middle]
      else if (code.certainty === 'unconfirmed' && hint !== middle + 1)
        throw unconfirmed(address, middle, code)
      else [earlier, without] = [code, middle]
    }
  } catch (error) {
    if (!isMissingState(error)) throw error
    return { kind: 'unsure', blockNumber: without + 1, reason: error }
  }
  const { certainty, hosts } = later.certainty === 'disputed' ? later : earlier
  return { kind: 'found', blockNumber: within, certainty, hosts }
}

/**
 * Whether a remembered first block still holds: the address had no code before. A state that no endpoint has, and the
 * answer of one endpoint while others do not answer, prove nothing against the block.
 * @throws InconsistentChainError, retryable, if the endpoints disagree: one of them must not have an index made anew.
 */
export async function isFirstBlock(
  client: Pick<ChainClient, 'fetchCode'>,
  address: Address,
  blockNumber: number,
  signal: AbortSignal,
): Promise<boolean> {
  if (blockNumber === 0) return true
  try {
    const { exists, certainty, hosts } = await client.fetchCode(address, blockNumber - 1, signal)
    if (certainty === 'disputed') throw disputed(address, blockNumber, hosts)
    return !exists || certainty === 'unconfirmed'
  } catch (error) {
    if (isMissingState(error) || error instanceof RpcUnconfirmedError) return true
    throw error
  }
}

function unconfirmed(address: Address, blockNumber: number, { hosts }: CodeAnswer): RpcUnconfirmedError {
  return new RpcUnconfirmedError(
    `Only ${hosts.join(', ')} says that ${address} had no code at block ${blockNumber}, and the other endpoints do not answer; an answer counts if two endpoints give it.`,
    { retryable: true, facts: { address, blockNumber, hosts } },
  )
}

function disputed(address: Address, blockNumber: number, hosts: readonly string[]): InconsistentChainError {
  return new InconsistentChainError(
    `The endpoints disagree whether ${address} had code before block ${blockNumber}, from which it is indexed (${hosts.join(', ')}): remove the endpoint that is wrong, or spell out startBlock under contracts.`,
    { retryable: true, facts: { address, blockNumber, hosts } },
  )
}
