import { InconsistentChainError } from '../errors/reorgErrors.ts'
import { RpcUnconfirmedError } from '../errors/rpcErrors.ts'
import type { Address, Hash, Hex } from '../model/hex.ts'
import { agreeByTwo, type AgreedQuestion } from './agreeByTwo.ts'
import { askEndpoints } from './askEndpoints.ts'
import { resolveOptions, type ChainClientOptions } from './chainClientOptions.ts'
import type { Endpoint } from './createEndpoint.ts'
import { createEndpointPool } from './createEndpointPool.ts'
import { getBlockCall, readBlock } from './fetchBlocks.ts'
import type { RpcCall } from './matchAnswers.ts'
import { formatQuantity } from './parseQuantity.ts'
import { isEmpty, readHexResult, readResult } from './readContracts.ts'

/** A block at which contracts are asked. */
export interface NamedBlock {
  readonly number: number
  readonly hash: Hash
}

/**
 * Asks contracts at a named block. Every answer is that of two endpoints, where the chain has two
 * (`agreeByTwo`). Nothing is sent before the first call.
 */
export interface ContractCaller {
  /**
   * The newest block that two endpoints have.
   * @throws one of the errors of `errors/rpcErrors.ts`; InconsistentChainError if the heads of the endpoints are far
   *   apart.
   */
  findBlock(signal: AbortSignal): Promise<NamedBlock>
  /** Whether an address has code in the state after a block. Rejects as `agreeByTwo`. */
  hasCode(address: Address, block: NamedBlock, signal: AbortSignal): Promise<boolean>
  /**
   * The result of a call, or, without `to`, of the creation of a contract with the code `data`; null for a revert.
   * Rejects as `agreeByTwo`.
   */
  call(
    target: { readonly to?: Address; readonly data: Hex },
    block: NamedBlock,
    signal: AbortSignal,
  ): Promise<Hex | null>
  close(): Promise<void>
}

/**
 * How far apart the heads of two endpoints may be, in seconds. An endpoint that claims an old head would otherwise have
 * contracts asked in a state of its choice, such as before an owner was replaced.
 */
const headsApartMaxSeconds = 120

export function createContractCaller(given: ChainClientOptions): ContractCaller {
  const options = resolveOptions(given)
  const pool = createEndpointPool(options)

  function agree<Value>(
    about: string,
    ask: AgreedQuestion<Value>['ask'],
    keyOf: (value: Value) => string,
    signal: AbortSignal,
  ): Promise<Value> {
    return agreeByTwo(pool, { about, ask, keyOf }, options, signal).then(
      ({ values: [value] }) => value as Value,
    )
  }

  /** Asks an endpoint for a block by its number or tag. */
  const askForBlock = (tag: string) => async (endpoint: Endpoint, signal: AbortSignal) =>
    readBlock(await endpoint.exchangeOne(getBlockCall(tag), signal), tag, endpoint)

  return {
    async findBlock(signal) {
      if (pool.isAlone) return await pool.persist(askForBlock('latest'), signal)
      const votes = await askEndpoints(pool.available(), askForBlock('latest'), options, signal)
      const heads = votes.map(({ value }) => value).toSorted((a, b) => b.number - a.number)
      // The newest block that two endpoints have.
      const number = heads[1]?.number
      if (number === undefined) {
        throw new RpcUnconfirmedError('Fewer than two endpoints name their newest block.', {
          retryable: true,
        })
      }
      const block = await agree(
        `block ${number}`,
        askForBlock(formatQuantity(number)),
        (header) => [header.number, header.hash, header.timestamp].join(' '),
        signal,
      )
      const near = heads.filter(
        ({ timestamp }) => Math.abs(timestamp - block.timestamp) <= headsApartMaxSeconds,
      )
      if (block.number === number && near.length >= 2) return block
      throw new InconsistentChainError(
        `No two endpoints have a head within ${headsApartMaxSeconds} seconds of block ${number}, the newest one that two of them have.`,
        { retryable: true, facts: { blockNumber: number } },
      )
    },
    async hasCode(address, { number }, signal) {
      const call: RpcCall = { method: 'eth_getCode', params: [address, formatQuantity(number)] }
      const code = await agree(
        `the code of ${address} at block ${number}`,
        async (endpoint, inTime) => readHexResult(await endpoint.exchangeOne(call, inTime), call, endpoint),
        (hex) => hex,
        signal,
      )
      return !isEmpty(code)
    },
    async call(target, { number }, signal) {
      const call: RpcCall = { method: 'eth_call', params: [target, formatQuantity(number)] }
      const result = await agree(
        `a call at block ${number}`,
        async (endpoint, inTime) => readResult(await endpoint.exchangeOne(call, inTime), call, endpoint),
        (read) => (read.kind === 'returned' ? read.data : 'reverted'),
        signal,
      )
      return result.kind === 'returned' ? result.data : null
    },
    close: () => pool.destroy(),
  }
}
