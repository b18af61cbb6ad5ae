import { asClause, AttestryError } from '../errors/baseError.ts'
import { InconsistentChainError } from '../errors/reorgErrors.ts'
import {
  RpcMalformedError,
  RpcMissingError,
  RpcRefusedError,
  RpcUnconfirmedError,
} from '../errors/rpcErrors.ts'
import { isJsonObject } from '../model/jsonObject.ts'
import { parseHex, type Address, type Hex } from '../model/hex.ts'
import type { ContractRead, ReadResult } from '../protocols/protocolAdapter.ts'
import { agreeByTwo, type AgreedQuestion } from './agreeByTwo.ts'
import { askEndpoints } from './askEndpoints.ts'
import { callChunk } from './callChunk.ts'
import type { ReadBlock, SecondedResult } from './chainClient.ts'
import { multicall3Address, type ResolvedOptions } from './chainClientOptions.ts'
import { confirmNothing } from './confirmNothing.ts'
import type { Endpoint } from './createEndpoint.ts'
import type { EndpointPool } from './createEndpointPool.ts'
import { isEndpointError, mayConcernSize } from './errorScope.ts'
import type { RpcAnswer, RpcCall, RpcErrorObject } from './matchAnswers.ts'
import { decodeAggregate3, encodeAggregate3 } from './multicall.ts'

/** Reads contracts in batches; holds what was learnt of Multicall3 and of how many reads one call takes. */
export interface ContractReader {
  read(reads: readonly ContractRead[], at: ReadBlock, signal: AbortSignal): Promise<readonly ReadResult[]>
  /** The same, with what a second endpoint answers. */
  readTwice(
    reads: readonly ContractRead[],
    at: ReadBlock,
    signal: AbortSignal,
  ): Promise<readonly SecondedResult[]>
}

/** How many more reads a call takes after each one that passed, up to the maximum. */
const growthStep = 10

/** How long no endpoint is asked again for the code of Multicall3 after all of them refused. */
const refusalRememberedMs = 600_000

export function createContractReader(pool: EndpointPool, options: ResolvedOptions): ContractReader {
  let isDeployed: boolean | null = null
  let refusedAtMs: number | null = null
  let checking: Promise<boolean> | null = null
  let readsPerCall = options.readsPerCallMax
  let turn = 0

  /** Ranges that are read at the same time share one check, unless the one that began the check gives up. */
  async function hasMulticall(signal: AbortSignal): Promise<boolean> {
    while (isDeployed === null && checking !== null) {
      const shared = await checking.catch(() => null)
      if (shared !== null) return shared
      signal.throwIfAborted()
    }
    if (isDeployed !== null) return isDeployed
    checking = checkDeployment(signal).finally(() => (checking = null))
    return checking
  }

  async function checkDeployment(signal: AbortSignal): Promise<boolean> {
    if (refusedAtMs !== null && options.clock.nowMs() - refusedAtMs < refusalRememberedMs) return false
    const call = { method: 'eth_getCode', params: [multicall3Address, 'latest'] }
    const ask = async (endpoint: Endpoint, inTime: AbortSignal) =>
      !isEmpty(readHexResult(await endpoint.exchangeOne(call, inTime), call, endpoint))
    try {
      // A wrong yes costs one request for each batch, which then goes out one by one; a wrong no, one for each read.
      isDeployed =
        (await pool.persist(ask, signal)) || (!pool.isAlone && !(await isAgreedMissing(ask, signal)))
    } catch (error) {
      // `eth_getCode` is optional: an endpoint that does not know the method still answers every read one by one.
      if (signal.aborted || !(error instanceof RpcRefusedError)) throw error
      if (refusedAtMs === null) options.onEvent({ kind: 'multicallMissing' })
      refusedAtMs = options.clock.nowMs()
      return false
    }
    if (!isDeployed) options.onEvent({ kind: 'multicallMissing' })
    return isDeployed
  }

  /** Whether two endpoints say that Multicall3 is not deployed. */
  async function isAgreedMissing(ask: AgreedQuestion<boolean>['ask'], signal: AbortSignal): Promise<boolean> {
    const question = { about: 'the code of Multicall3', ask, keyOf: String }
    try {
      return (await agreeByTwo(pool, question, options, signal)).values[0] === false
    } catch (error) {
      if (error instanceof InconsistentChainError || error instanceof RpcUnconfirmedError) return false
      throw error
    }
  }

  /** One `eth_call` per read, as JSON-RPC batches. */
  async function readOneByOne(
    reads: readonly ContractRead[],
    at: ReadBlock,
    signal: AbortSignal,
  ): Promise<readonly ToldResult[]> {
    const calls = reads.map((read) => ethCall(read, at))
    return pool.callEach(
      calls,
      (answer, index, endpoint): ToldResult => {
        const call = calls[index] ?? ethCall({ to: multicall3Address, data: emptyHex }, at)
        return { result: readResult(answer, call, endpoint), endpoint }
      },
      signal,
    )
  }

  /** Reads through one Multicall3 call, or says why that is not how to read them. */
  async function readAtOnce(
    reads: readonly ContractRead[],
    at: ReadBlock,
    signal: AbortSignal,
  ): Promise<ToldResult[] | 'tooMany' | 'notDeployed'> {
    const call = ethCall({ to: multicall3Address, data: encodeAggregate3(reads) }, at)
    let isAnswered = false
    try {
      return await pool.persist(async (endpoint, attemptSignal) => {
        isAnswered = false
        const answer = await endpoint.exchangeOne(call, attemptSignal)
        if (answer.kind === 'error') {
          // Multicall3 itself reverts only when gas or memory run out.
          if (parseRevert(answer.error) !== null) return 'tooMany'
          const { refusal, error } = endpoint.explain(call, answer.error, 1)
          if (refusal.kind === 'tooHeavy') return 'tooMany'
          if (isEndpointError(error)) endpoint.noteFailure(error)
          throw describeAt(error, at)
        }
        isAnswered = true
        const data = typeof answer.value === 'string' ? parseHex(answer.value) : null
        if (data === null) throw malformedRead(endpoint.host, call.method)
        endpoint.noteSuccess()
        // No code there at that block: the block is older than Multicall3.
        if (isEmpty(data)) return 'notDeployed'
        const results = decodeAggregate3(data, reads.length)
        if (results === null) throw malformedRead(endpoint.host, call.method)
        return results.map((result) => ({ result, endpoint }))
      }, signal)
    } catch (error) {
      // Endpoints refuse a large call in any words: fewer reads may pass where one does.
      if (signal.aborted || isAnswered || !mayConcernSize(error)) throw error
      if (!(error instanceof RpcRefusedError)) await readOneByOne(reads.slice(0, 1), at, signal)
      return 'tooMany'
    }
  }

  async function readChunk(
    reads: readonly ContractRead[],
    at: ReadBlock,
    signal: AbortSignal,
  ): Promise<readonly ToldResult[]> {
    if (reads.length === 1 || isDeployed !== true) return readOneByOne(reads, at, signal)
    const results = await readAtOnce(reads, at, signal)
    if (results === 'notDeployed') return readOneByOne(reads, at, signal)
    if (results === 'tooMany') {
      const half = Math.ceil(reads.length / 2)
      readsPerCall = Math.max(1, Math.min(readsPerCall, half))
      const first = await readChunk(reads.slice(0, half), at, signal)
      return [...first, ...(await readChunk(reads.slice(half), at, signal))]
    }
    readsPerCall = Math.min(options.readsPerCallMax, readsPerCall + growthStep)
    // A read that ran out of the gas that the others left it looks like a revert without data. Alone it shows which it
    // was.
    const doubtful = results.flatMap(({ result }, index) => (isBareRevert(result) ? [index] : []))
    if (doubtful.length === 0) return results
    const repeated = await readOneByOne(
      doubtful.flatMap((index) => reads[index] ?? []),
      at,
      signal,
    )
    doubtful.forEach((index, order) => {
      const result = repeated[order]
      if (result !== undefined) results[index] = result
    })
    return results
  }

  /**
   * Each read of a chunk as another endpoint answers it than the one that answered first; null if no other one
   * answers.
   */
  async function readElsewhere(
    reads: readonly ContractRead[],
    first: readonly ToldResult[],
    at: ReadBlock,
    signal: AbortSignal,
  ): Promise<readonly (ReadResult | null)[]> {
    const seconds: (ReadResult | null)[] = reads.map(() => null)
    const groups = Map.groupBy(first.keys(), (index) => first[index]?.endpoint)
    await settleAll(
      [...groups].map(async ([answered, indexes]) => {
        const others = pool.available().filter((endpoint) => endpoint !== answered)
        turn += 1
        let pending = indexes
        for (const endpoint of [
          ...others.slice(turn % others.length),
          ...others.slice(0, turn % others.length),
        ]) {
          const asked = pending.flatMap((index) => reads[index] ?? [])
          const answers = await readOf(endpoint, asked, at, signal)
          pending.forEach((index, order) => (seconds[index] = answers[order] ?? null))
          pending = pending.filter((index) => seconds[index] === null)
          if (pending.length === 0) return
        }
      }),
    )
    return seconds
  }

  /** The reads as one endpoint answers them; null if it does not answer in time. */
  async function readOf(
    endpoint: Endpoint,
    reads: readonly ContractRead[],
    at: ReadBlock,
    signal: AbortSignal,
  ): Promise<readonly (ReadResult | null)[]> {
    if (reads.length === 1 || isDeployed !== true) return readOneByOneOf(endpoint, reads, at, signal)
    const call = ethCall({ to: multicall3Address, data: encodeAggregate3(reads) }, at)
    const ask = async (asked: Endpoint, inTime: AbortSignal) => {
      const answer = await asked.exchangeOne(call, inTime)
      // Fewer reads may pass, whatever the error says.
      return answer.kind === 'error' ? 'refused' : readHexResult(answer, call, asked)
    }
    const [vote] = await askEndpoints([endpoint], ask, options, signal)
    if (vote === undefined) return reads.map(() => null)
    if (vote.value === 'refused') {
      const half = Math.ceil(reads.length / 2)
      const parts = [reads.slice(0, half), reads.slice(half)]
      return (await settleAll(parts.map((part) => readOf(endpoint, part, at, signal)))).flat()
    }
    if (isEmpty(vote.value)) return readOneByOneOf(endpoint, reads, at, signal)
    const results: (ReadResult | null)[] = decodeAggregate3(vote.value, reads.length) ?? reads.map(() => null)
    // As in `readChunk`.
    const doubtful = results.flatMap((result, index) =>
      result !== null && isBareRevert(result) ? [index] : [],
    )
    const asked = doubtful.flatMap((index) => reads[index] ?? [])
    const repeated = await readOneByOneOf(endpoint, asked, at, signal)
    doubtful.forEach((index, order) => (results[index] = repeated[order] ?? null))
    return results
  }

  /** The same, as JSON-RPC batches one after the other, up to the first one without an answer. */
  async function readOneByOneOf(
    endpoint: Endpoint,
    reads: readonly ContractRead[],
    at: ReadBlock,
    signal: AbortSignal,
  ): Promise<readonly (ReadResult | null)[]> {
    const calls = reads.map((read) => ethCall(read, at))
    const results: (ReadResult | null)[] = []
    while (results.length < calls.length) {
      const batch = calls.slice(results.length, results.length + options.batchSizeMax)
      const ask = (asked: Endpoint, inTime: AbortSignal) =>
        callChunk<ReadResult | null, Endpoint>(
          batch,
          (answer, index) => readIfTold(answer, batch[index], asked),
          (task) => repeatSmaller(() => task(asked, inTime)),
        )
      const [vote] = await askEndpoints([endpoint], ask, options, signal)
      if (vote === undefined) break
      results.push(...vote.value)
    }
    return calls.map((_, index) => results[index] ?? null)
  }

  /** A chunk, with what a second endpoint answers. */
  async function readChunkTwice(
    reads: readonly ContractRead[],
    at: ReadBlock,
    signal: AbortSignal,
  ): Promise<readonly SecondedResult[]> {
    const first = await readChunk(reads, at, signal)
    const told = first.map(({ result }) => result)
    const results = await settleNothing(reads, told, at, signal)
    const seconds = await readElsewhere(reads, first, at, signal)
    return results.map((result, index) => ({ result, second: seconds[index] ?? null }))
  }

  /** Results without data are asked for once more, of an endpoint that has the contract. */
  async function settleNothing(
    reads: readonly ContractRead[],
    results: ReadResult[],
    at: ReadBlock,
    signal: AbortSignal,
  ): Promise<readonly ReadResult[]> {
    const absent = new Set<Address>()
    for (const [index, read] of reads.entries()) {
      const result = results[index]
      if (result?.kind !== 'returned' || !isEmpty(result.data) || absent.has(read.to)) continue
      const settled = await confirmNothing(pool, read.to, ethCall(read, at), signal)
      if (settled.codeExists) results[index] = settled
      else absent.add(read.to)
    }
    return results
  }

  /** The results of all chunks. Without Multicall3, all reads are one chunk. */
  async function readInChunks<Result>(
    reads: readonly ContractRead[],
    signal: AbortSignal,
    readOf: (chunk: readonly ContractRead[]) => Promise<readonly Result[]>,
  ): Promise<Result[]> {
    const results: Result[] = []
    const useMulticall = reads.length > 1 && (await hasMulticall(signal))
    for (let first = 0; first < reads.length;) {
      // As many chunks at a time as one endpoint takes requests: what is learnt of one round shapes the next.
      const round: Promise<readonly Result[]>[] = []
      for (let i = 0; i < options.concurrencyPerEndpoint && first < reads.length; i++) {
        const count = useMulticall ? readsPerCall : reads.length
        round.push(readOf(reads.slice(first, first + count)))
        first += count
      }
      for (const chunk of await settleAll(round)) for (const result of chunk) results.push(result)
    }
    return results
  }

  return {
    read: async (reads, at, signal) => {
      const told = await readInChunks(reads, signal, (chunk) => readChunk(chunk, at, signal))
      const results = told.map(({ result }) => result)
      return settleNothing(reads, results, at, signal)
    },
    readTwice: (reads, at, signal) =>
      readInChunks(reads, signal, (chunk) => readChunkTwice(chunk, at, signal)),
  }
}

/** A result, and the endpoint that gave it. */
interface ToldResult {
  readonly result: ReadResult
  readonly endpoint: Endpoint
}

/** Whether a read may have run out of the gas that the others in its call left it. */
function isBareRevert(result: ReadResult): boolean {
  return result.kind === 'reverted' && isEmpty(result.data)
}

/** The result in an answer; null for an error of the endpoint. */
function readIfTold(answer: RpcAnswer, call: RpcCall | undefined, endpoint: Endpoint): ReadResult | null {
  try {
    return call === undefined ? null : readResult(answer, call, endpoint)
  } catch (error) {
    if (!(error instanceof AttestryError)) throw error
    return null
  }
}

/** Attempts to send a batch, which is halved each time that it may have been too large. */
const batchAttemptsMax = 8

async function repeatSmaller(send: () => Promise<void>): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await send()
    } catch (error) {
      if (attempt === batchAttemptsMax || !mayConcernSize(error)) throw error
    }
  }
}

/** Like `Promise.all`, but with nothing left under way when it rejects. */
async function settleAll<Value>(promises: readonly Promise<Value>[]): Promise<readonly Value[]> {
  const settled = await Promise.allSettled(promises)
  return settled.map((outcome) => {
    if (outcome.status === 'rejected') throw outcome.reason
    return outcome.value
  })
}

const emptyHex = knownHex('0x')

/** Whether data has no bytes: no code, or nothing returned. */
export function isEmpty(data: Hex): boolean {
  return data.length === 2
}

function knownHex(text: string): Hex {
  const hex = parseHex(text)
  if (hex === null) throw new TypeError(`${text} is no hex`)
  return hex
}

/** The `eth_call` of a view call. */
export function ethCall(read: ContractRead, at: ReadBlock): RpcCall {
  const block = at.kind === 'latest' ? 'latest' : { blockHash: at.hash, requireCanonical: true }
  return { method: 'eth_call', params: [{ to: read.to, data: read.data }, block] }
}

/** Reads the result of an `eth_call` from its answer. */
export function readResult(answer: RpcAnswer, call: RpcCall, endpoint: Endpoint): ReadResult {
  if (answer.kind === 'error') {
    const revert = parseRevert(answer.error)
    if (revert !== null) return { kind: 'reverted', data: revert }
  }
  return { kind: 'returned', data: readHexResult(answer, call, endpoint) }
}

/** The data that answered a read of a contract or of its code. */
export function readHexResult(answer: RpcAnswer, call: RpcCall, endpoint: Endpoint): Hex {
  if (answer.kind === 'error') {
    const { error } = endpoint.explain(call, answer.error, 1)
    const block = call.params[1]
    throw typeof block === 'object' ? describeAtHash(error) : error
  }
  const data = typeof answer.value === 'string' ? parseHex(answer.value) : null
  if (data === null) throw malformedRead(endpoint.host, call.method)
  return data
}

function describeAt(error: AttestryError, at: ReadBlock): AttestryError {
  return at.kind === 'blockHash' ? describeAtHash(error) : error
}

/** A refusal at a block hash says what the endpoint must be able to do. */
function describeAtHash(error: AttestryError): AttestryError {
  const text = asClause(error.message)
  const options = { cause: error, retryable: error.retryable, facts: { ...error.facts } }
  if (error instanceof RpcRefusedError) {
    return new RpcRefusedError(
      `${text}; it must take a block hash as the block of a call (EIP-1898).`,
      options,
    )
  }
  if (error instanceof RpcMissingError) {
    return new RpcMissingError(`${text}; it must hold the state of recent blocks.`, options)
  }
  return error
}

function malformedRead(host: string, method: string): RpcMalformedError {
  return new RpcMalformedError(`${host} answered a contract read with something that is no result.`, {
    retryable: true,
    facts: { host, method },
  })
}

/** Errors with which the virtual machine ends a call for good, whichever node runs it. */
const haltPattern =
  /invalid opcode|bad instruction|invalid jump|bad jump|stack (?:under|over)flow|write protection|static state change|invalid code/i
const revertPattern = /\brevert/i

/**
 * The data of a revert if the error of an `eth_call` says that the contract reverted, or `0x` for a revert without data.
 * Null if the node failed. Clients differ: geth sends code 3 with data; Nethermind sends -32000 or -32015 with only the
 * data, or with the data after `Reverted `; Hardhat and proxies nest it.
 */
function parseRevert(error: RpcErrorObject): Hex | null {
  const isRevert =
    error.code === 3 ||
    error.code === -32015 ||
    revertPattern.test(error.message) ||
    haltPattern.test(error.message)
  return isRevert ? (findData(error.data) ?? parseHex('0x')) : null
}

/** Looks for revert data in what an error carries, at most three levels deep. */
function findData(data: unknown, depth = 0): Hex | null {
  if (typeof data === 'string') return parseHex(data.replace(/^reverted\s+/i, '').trim())
  if (!isJsonObject(data) || depth === 3) return null
  for (const key of ['data', 'result', 'originalError', 'output']) {
    const found = findData(data[key], depth + 1)
    if (found !== null) return found
  }
  return null
}
