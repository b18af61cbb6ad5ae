import type { BlockRef } from '../model/chainState.ts'
import type { Address, Hash, Hex } from '../model/hex.ts'
import type { ChainLog, ContractRead, ReadResult } from '../protocols/protocolAdapter.ts'

/**
 * One chain over JSON-RPC, behind which any number of endpoints stand. Every method retries what is worth retrying on
 * whichever endpoint is healthy, and rejects with one of the errors of `errors/rpcErrors.ts` when none answers as it should;
 * no error and no log line holds more of an endpoint's URL than its host. All answers are checked before they are returned:
 * a value of the wrong type or a missing block is an error, never a default.
 */
export interface ChainClient {
  /** The newest block, and what it takes to recognise it. The endpoints' chain id was checked before the first answer. */
  fetchHead(signal?: AbortSignal): Promise<BlockHeader>
  /** The canonical headers of `fromBlock` to `toBlock`, ascending, none missing; in batches. */
  fetchHeaders(fromBlock: number, toBlock: number, signal?: AbortSignal): Promise<readonly BlockHeader[]>
  /**
   * All logs of the filter, ascending by position, each with its block's time. Splits the range as endpoints demand and
   * learns how much they take. Logs that are `removed` or pending are refused as an inconsistency.
   */
  fetchLogs(filter: LogFilter, signal?: AbortSignal): Promise<readonly ChainLog[]>
  /**
   * The logs of single blocks, asked for by their hashes, ascending by position: what a range of numbers answers near the
   * head proves nothing, since a node that does not have a block yet may answer that it holds no logs.
   */
  fetchBlockLogs(
    blocks: readonly BlockHeader[],
    filter: Pick<LogFilter, 'addresses' | 'topics'>,
    signal?: AbortSignal,
  ): Promise<readonly ChainLog[]>
  /** The results of view calls, in the order asked, batched through Multicall3 where it is deployed. */
  readContracts(
    reads: readonly ContractRead[],
    at: ReadBlock,
    signal?: AbortSignal,
  ): Promise<readonly ReadResult[]>
  /**
   * Whether a contract stands at an address at the state after a block. Where no endpoint has that state any more it rejects
   * with `RpcMissingError` or `RpcRefusedError`, within seconds.
   */
  hasCode(address: Address, blockNumber: number, signal?: AbortSignal): Promise<boolean>
  /** The senders of transactions, in the order asked. */
  fetchTransactionSenders(hashes: readonly Hash[], signal?: AbortSignal): Promise<readonly Address[]>
  /** How many blocks a request for logs may usefully span now; grows and shrinks with what endpoints answer. */
  logRangeBlocks(): number
  /** Ends open connections; requests under way reject. */
  close(): Promise<void>
}

export interface BlockHeader extends BlockRef {
  readonly logsBloom: Hex
}

export interface LogFilter {
  readonly addresses: readonly Address[]
  /** Any of these as topic0. */
  readonly topics: readonly Hex[]
  readonly fromBlock: number
  readonly toBlock: number
}

/** The state that a contract is read at: the newest one, or exactly that after the block of a hash (EIP-1898). */
export type ReadBlock = { readonly kind: 'latest' } | { readonly kind: 'blockHash'; readonly hash: Hash }
