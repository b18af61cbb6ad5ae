import { RpcMissingError, RpcRefusedError } from '../errors/rpcErrors.ts'
import type { AttestryError } from '../errors/baseError.ts'
import type { BlockRef, HeadSource } from '../model/chainState.ts'
import type { Address, Hash, Hex } from '../model/hex.ts'
import type { ContractRead, FetchedLog, ReadResult } from '../protocols/protocolAdapter.ts'

/**
 * One chain over JSON-RPC, through one or more endpoints. Every method retries retryable failures on a healthy
 * endpoint, and rejects with one of the errors of `errors/rpcErrors.ts` if no endpoint gives a valid answer. Errors and
 * log lines name only the host of an endpoint. Answers are checked: a value of the wrong type or a missing block is an
 * error, never a default.
 */
export interface ChainClient {
  /** The header of the newest block. The chain ids of the endpoints are checked before the first answer. */
  fetchHead(signal?: AbortSignal): Promise<BlockHeader>
  /**
   * Waits until an endpoint's subscription announces a head that `fetchHead` has not returned (true), or for `delayMs`
   * or until a subscription is lost (false). The first call opens the subscriptions. Rejects only after the signal was
   * aborted or the client was closed.
   */
  awaitHead(delayMs: number, signal?: AbortSignal): Promise<boolean>
  /** The present source of new heads. */
  headSource(): HeadSource
  /** All canonical headers from `fromBlock` to `toBlock`, ascending; in batches. */
  fetchHeaders(fromBlock: number, toBlock: number, signal?: AbortSignal): Promise<readonly BlockHeader[]>
  /** The canonical headers of blocks whose numbers ascend. Headers of consecutive blocks are linked by their hashes. */
  fetchHeadersOf(numbers: readonly number[], signal?: AbortSignal): Promise<readonly BlockHeader[]>
  /**
   * The logs of a filter in old blocks, in the order of the chain, each with the time of its block. Splits the range as
   * endpoints demand, and remembers which range they accept. Rejects if an endpoint returns `removed` or pending logs.
   */
  fetchLogs(filter: LogFilter, signal?: AbortSignal): Promise<readonly FetchedLog[]>
  /**
   * The logs of consecutive blocks near the head, in the order of the chain, checked against the headers. Each log has
   * the block hash of its header, and a block without logs has a bloom without them. A range of numbers proves nothing
   * near the head: a node that lacks the newest block, or its logs, may answer with an empty list. If the bloom of a
   * block announces logs that no endpoint gives, the call waits for them, for some seconds at most.
   */
  fetchCheckedLogs(
    headers: readonly BlockHeader[],
    filter: Pick<LogFilter, 'addresses' | 'topics'>,
    signal?: AbortSignal,
  ): Promise<readonly FetchedLog[]>
  /**
   * The logs of consecutive final blocks, ascending by position, read once more by their numbers from each healthy
   * endpoint that answers in time, at least one. Rejects if no endpoint gives logs of these very blocks.
   */
  fetchLogsAgain(
    blocks: readonly BlockRef[],
    filter: Pick<LogFilter, 'addresses' | 'topics'>,
    signal?: AbortSignal,
  ): Promise<readonly LogsOfHost[]>
  /** The logs of a block, by its hash, from each healthy endpoint that answers in time. */
  fetchLogsEverywhere(
    block: BlockRef,
    filter: Pick<LogFilter, 'addresses' | 'topics'>,
    signal?: AbortSignal,
  ): Promise<readonly LogsOfHost[]>
  /** The logs of final blocks by their hashes, in the order of the chain. */
  fetchLogsOf(
    blocks: readonly BlockRef[],
    filter: Pick<LogFilter, 'addresses' | 'topics'>,
    signal?: AbortSignal,
  ): Promise<readonly FetchedLog[]>
  /** The first log in final blocks that `matches`, from any endpoint. */
  findLog(filter: LogFilter, matches: (log: FetchedLog) => boolean, signal?: AbortSignal): Promise<FoundLog>
  /**
   * Requests a log that is known to exist in a final block from all endpoints. For some hours, `fetchLogs` asks only
   * endpoints that returned it. Returns the hosts that have answered `fetchLogs` since the last proof and did not return
   * this log: their answers may lack logs. Sends nothing if there is one endpoint.
   */
  proveLog(log: FetchedLog, signal?: AbortSignal): Promise<readonly string[]>
  /** Reports that the last answer omitted this log. An endpoint that omits logs repeatedly is quarantined. */
  noteOmission(log: FetchedLog): void
  /**
   * The logs of a range of old blocks, as each endpoint gives them whose old logs are asked for; in two parts if that
   * is one endpoint. Their times may be missing (0).
   */
  sampleLogs(filter: LogFilter, signal?: AbortSignal): Promise<LogSample>
  /**
   * Reports that an endpoint left out a log of that block. For some hours `fetchLogs` asks other endpoints, or reads
   * the answers of this one in ever smaller parts if there is no other.
   */
  distrustLogs(host: string, blockNumber: number): void
  /** The doubts about logs that `fetchLogs` has returned since the last call. */
  takeLogDoubts(): LogDoubt
  /**
   * The header of a final block, as the healthy endpoints agree on it. Endpoints that contradict the majority, or
   * `known` (the block's hash in the index), are quarantined.
   * @throws InconsistentChainError, retryable, if the endpoints disagree and neither a majority nor `known` decides.
   */
  fetchAgreedHeader(blockNumber: number, known: Hash | null, signal?: AbortSignal): Promise<BlockHeader>
  /** The results of view calls, in their order, batched through Multicall3 if the chain has it. */
  readContracts(
    reads: readonly ContractRead[],
    at: ReadBlock,
    signal?: AbortSignal,
  ): Promise<readonly ReadResult[]>
  /** The same, each with what a second endpoint answers, where one does. */
  readContractsTwice(
    reads: readonly ContractRead[],
    at: ReadBlock,
    signal?: AbortSignal,
  ): Promise<readonly SecondedResult[]>
  /**
   * The result of a view call from each healthy endpoint that answers in time. Sends nothing below two such endpoints.
   */
  readEverywhere(
    read: ContractRead,
    at: ReadBlock,
    signal?: AbortSignal,
  ): Promise<readonly { readonly host: string; readonly result: ReadResult }[]>
  /** Quarantines an endpoint with impossible answers. `reason`: half a sentence whose subject is the endpoint. */
  quarantine(host: string, reason: string): void
  /**
   * Whether an address has code in the state after a block, as two endpoints say where two have that state. Rejects with
   * `RpcMissingError` or `RpcRefusedError` within seconds if every endpoint has pruned that state.
   */
  fetchCode(address: Address, blockNumber: number, signal?: AbortSignal): Promise<CodeAnswer>
  /** The senders of transactions, in the order of the hashes. */
  fetchTransactionSenders(hashes: readonly Hash[], signal?: AbortSignal): Promise<readonly Address[]>
  /**
   * Calls `listener` with the error of each call that failed on every endpoint and is retried. The call may still
   * succeed. A later listener replaces this one.
   */
  watchRetries(listener: (error: AttestryError) => void): void
  /** Whether there is one endpoint, so that its answers cannot be compared. */
  isAlone(): boolean
  /** The range of a request for logs, in blocks, that endpoints accept at present. */
  logRangeBlocks(): number
  /** Closes all connections. Requests in flight reject. */
  close(): Promise<void>
}

/** The result of a read, with the answer of a second endpoint; null if no second endpoint was asked or answered. */
export interface SecondedResult {
  readonly result: ReadResult
  readonly second: ReadResult | null
}

export interface BlockHeader extends BlockRef {
  /** Null if the endpoint sends no valid one: nothing is known about the logs of the block then. */
  readonly logsBloom: Hex | null
}

/** The result of a search for a log on all endpoints. */
export interface FoundLog {
  /** Null if no endpoint that answered has the log. Its time may be missing (0). */
  readonly log: FetchedLog | null
  /** The hosts that did not answer and may have the log; empty if the log was found. */
  readonly unanswered: readonly string[]
}

/** The logs that an endpoint gives. */
export interface LogsOfHost {
  readonly host: string
  readonly logs: readonly FetchedLog[]
}

/** Logs that may have been left out, as far as the endpoints can tell. */
export interface LogDoubt {
  /**
   * The first block of the answers that were believed before their endpoint was found to leave out logs; null if there
   * is no such answer. Blocks from there on are to be read again.
   */
  readonly fromBlock: number | null
  /** The blocks whose logs may be incomplete even though each block was requested separately. */
  readonly unsettled: readonly number[]
}

/** The same logs, as several endpoints give them or as one gives them in parts. */
export interface LogSample {
  readonly answers: readonly LogsOfHost[]
  /** Requests that were sent. */
  readonly requests: number
}

export interface LogFilter {
  readonly addresses: readonly Address[]
  /** Any of these as topic0. */
  readonly topics: readonly Hex[]
  readonly fromBlock: number
  readonly toBlock: number
}

/** The state in which a contract is read: the newest one, or the state after the block with this hash (EIP-1898). */
export type ReadBlock = { readonly kind: 'latest' } | { readonly kind: 'blockHash'; readonly hash: Hash }

/** Whether an address has code in the state after a block, and how sure that is. */
export interface CodeAnswer {
  /** True if the endpoints disagree: a contract that may stand there is not passed over. */
  readonly exists: boolean
  readonly certainty: CodeCertainty
  /** The endpoints that answered. */
  readonly hosts: readonly string[]
}

/**
 * `agreed`: two endpoints say so.
 * `disputed`: endpoints disagree, and no answer has two votes and the majority.
 * `unconfirmed`: one endpoint says so, and others that may have the state do not answer at present.
 * `alone`: one endpoint says so, and no other one has the state.
 */
export type CodeCertainty = 'agreed' | 'disputed' | 'unconfirmed' | 'alone'

/** Whether an error says that a node has no old states: a pruned one lacks them, others refuse the call. */
export function isMissingState(error: unknown): error is RpcMissingError | RpcRefusedError {
  return error instanceof RpcMissingError || error instanceof RpcRefusedError
}
