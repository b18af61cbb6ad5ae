import type { AttestryError } from '../errors/baseError.ts'
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
  /** The canonical headers of these blocks, which ascend, in their order; of consecutive ones each follows the one before. */
  fetchHeadersOf(numbers: readonly number[], signal?: AbortSignal): Promise<readonly BlockHeader[]>
  /**
   * All logs of the filter, of old blocks, ascending by position, each with its block's time. Splits the range as endpoints demand and
   * learns how much they take. Logs that are `removed` or pending are refused as an inconsistency.
   */
  fetchLogs(filter: LogFilter, signal?: AbortSignal): Promise<readonly ChainLog[]>
  /**
   * The logs of consecutive blocks of known headers, ascending by position: each stands in the block of its header, and no
   * block is taken to be without logs against its bloom. For blocks near the head, where what a range of numbers answers proves
   * nothing: a node that does not have a block yet may answer that it holds no logs.
   */
  fetchCheckedLogs(
    headers: readonly BlockHeader[],
    filter: Pick<LogFilter, 'addresses' | 'topics'>,
    signal?: AbortSignal,
  ): Promise<readonly ChainLog[]>
  /** The first log of final blocks that `matches`, whichever endpoint has it. */
  findLog(filter: LogFilter, matches: (log: ChainLog) => boolean, signal?: AbortSignal): Promise<FoundLog>
  /**
   * Asks all endpoints for a log of a final block that certainly exists, and answers the hosts that are found not to give it: they have
   * forgotten the logs of old blocks, and `fetchLogs` does not ask them for some hours, nor anyone who has not given that log. Sends
   * nothing where there is one endpoint alone.
   */
  proveLog(log: ChainLog, signal?: AbortSignal): Promise<readonly string[]>
  /** Says that the newest answer for the log's block did not hold it: of an endpoint that leaves logs out often, quarantine is the end. */
  noteOmission(log: ChainLog): void
  /**
   * The header of a block that cannot change any more, as all endpoints have it that are well; those that contradict the others,
   * or `known`, the hash that the index remembers, are left out for a while.
   * @throws InconsistentChainError, retryable, where nobody can tell who is right.
   */
  fetchAgreedHeader(blockNumber: number, known: Hash | null, signal?: AbortSignal): Promise<BlockHeader>
  /** The results of view calls, in the order asked, batched through Multicall3 where it is deployed. */
  readContracts(
    reads: readonly ContractRead[],
    at: ReadBlock,
    signal?: AbortSignal,
  ): Promise<readonly ReadResult[]>
  /**
   * The result of a view call as each endpoint gives it that is well and answers in time. Sends nothing where there are not two
   * of them.
   */
  readEverywhere(
    read: ContractRead,
    at: ReadBlock,
    signal?: AbortSignal,
  ): Promise<readonly { readonly host: string; readonly result: ReadResult }[]>
  /** Leaves an endpoint out for a while whose answers cannot be true, for the reason that is given, half a sentence about it. */
  quarantine(host: string, reason: string): void
  /**
   * Whether a contract stands at an address at the state after a block. Where no endpoint has that state any more it rejects
   * with `RpcMissingError` or `RpcRefusedError`, within seconds.
   */
  hasCode(address: Address, blockNumber: number, signal?: AbortSignal): Promise<boolean>
  /** The senders of transactions, in the order asked. */
  fetchTransactionSenders(hashes: readonly Hash[], signal?: AbortSignal): Promise<readonly Address[]>
  /**
   * Calls `listener` with the error of each call that every endpoint failed and that is tried again; the call itself may still
   * succeed. A later listener replaces this one.
   */
  watchRetries(listener: (error: AttestryError) => void): void
  /** Whether there is but one endpoint, so that nothing can be compared. */
  isAlone(): boolean
  /** How many blocks a request for logs may usefully span now; grows and shrinks with what endpoints answer. */
  logRangeBlocks(): number
  /** Ends open connections; requests under way reject. */
  close(): Promise<void>
}

export interface BlockHeader extends BlockRef {
  readonly logsBloom: Hex
}

/** What came of looking for a log at all endpoints. */
export interface FoundLog {
  /** Its time may be missing (0). null where no endpoint that answered has it. */
  readonly log: ChainLog | null
  /** The hosts that did not answer, and may have it: none where it was found. */
  readonly unanswered: readonly string[]
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
