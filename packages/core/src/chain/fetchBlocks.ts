import { InconsistentChainError } from '../errors/reorgErrors.ts'
import { RpcMalformedError, RpcMissingError } from '../errors/rpcErrors.ts'
import type { Hash } from '../model/hex.ts'
import type { BlockHeader } from './chainClient.ts'
import type { Endpoint } from './createEndpoint.ts'
import type { CallOptions, EndpointPool } from './createEndpointPool.ts'
import { decodeHeader } from './decodeHeader.ts'
import type { RpcAnswer, RpcCall } from './matchAnswers.ts'
import { findPassedOver, isNullRound, type BlockSource } from './nullRounds.ts'
import { formatQuantity } from './parseQuantity.ts'

export interface FetchBlocksOptions {
  /** Endpoints that are asked only when no other one answers. */
  readonly last?: readonly Endpoint[]
  /** Called for a block of an endpoint that differs from `hashes`, even if another endpoint has the expected block. */
  readonly onOther?: (blockNumber: number) => void
}

/**
 * The headers of blocks by number, in the order asked. If `hashes` has a block, it must be that one. A null round
 * (`nullRounds.ts`) is an empty block.
 * @throws RpcMissingError when no endpoint has a block; InconsistentChainError when it is another one than `hashes`
 *   says.
 */
export async function fetchBlocks(
  pool: EndpointPool,
  numbers: readonly number[],
  hashes: ReadonlyMap<number, Hash>,
  signal: AbortSignal,
  options: FetchBlocksOptions = {},
): Promise<readonly BlockHeader[]> {
  const mayHave = (number: number) => pool.endpoints.some((endpoint) => endpoint.isKnownToHave(number))
  const ask = async (asked: readonly number[], mayPassOver: boolean) => {
    const { last = [], onOther = () => {} } = options
    return pool.callEach(
      asked.map((number) => getBlockCall(formatQuantity(number))),
      (answer, index, endpoint) => {
        const number = asked[index] ?? -1
        const header = readNumbered(answer, number, endpoint, mayPassOver && !hashes.has(number))
        const hash = hashes.get(number)
        if (header === null || hash === undefined || hash === header.hash) return header
        onOther(number)
        throw new InconsistentChainError(
          `Block ${number} of ${endpoint.host} is another one than that of its logs.`,
          { retryable: true, facts: { host: endpoint.host, blockNumber: number } },
        )
      },
      signal,
      { last },
    )
  }
  const told = await ask(numbers, true)
  const missing = numbers.filter((_, index) => told[index] === null).sort((a, b) => a - b)
  const highest = missing.at(-1)
  if (highest === undefined) return told.filter((header) => header !== null)
  if (!mayHave(highest)) await fetchLatestBlock(pool, {}, signal)
  const known = new Map(told.flatMap((header) => (header === null ? [] : [[header.number, header]])))
  const source: BlockSource = {
    fetchByNumber: (asked) => ask(asked, true),
    fetchByHash: (hash) => {
      const call = getBlockByHashCall(hash)
      return pool.callOne(call, (answer, endpoint) => readHashed(answer, call, hash, endpoint), signal)
    },
    mayHave,
  }
  const found = await findPassedOver(source, missing, known)
  // A number that no block passes over may be that of a block that an endpoint does not have yet.
  const late = missing.filter((number) => !found.has(number))
  const lateHeaders = late.length === 0 ? [] : await ask(late, false)
  return numbers.map((number, index) => {
    const header = told[index] ?? found.get(number) ?? lateHeaders[late.indexOf(number)]
    if (header === undefined || header === null) throw new RangeError(`no answer for block ${number}`)
    return header
  })
}

/**
 * The block of a number, as one endpoint has it: an empty block if it is a null round; null if the endpoint has neither.
 */
export async function fetchBlockAt(
  endpoint: Endpoint,
  number: number,
  signal: AbortSignal,
): Promise<BlockHeader | null> {
  const exchange = (block: string) => endpoint.exchangeOne(getBlockCall(block), signal)
  const fetchOne = async (each: number) =>
    readNumbered(await exchange(formatQuantity(each)), each, endpoint, true)
  const header = await fetchOne(number)
  if (header !== null) return header
  if (!endpoint.isKnownToHave(number)) readBlock(await exchange('latest'), 'latest', endpoint)
  const source: BlockSource = {
    fetchByNumber: (numbers) => Promise.all(numbers.map(fetchOne)),
    fetchByHash: async (hash) => {
      const call = getBlockByHashCall(hash)
      return readHashed(await endpoint.exchangeOne(call, signal), call, hash, endpoint)
    },
    mayHave: endpoint.isKnownToHave,
  }
  return (await findPassedOver(source, [number], new Map())).get(number) ?? null
}

/**
 * The block of a number. Null if the answer may mean a null round: an error that says so, the block before, or `null`.
 * @param mayPassOver whether a null round is an answer.
 */
function readNumbered(
  answer: RpcAnswer,
  number: number,
  endpoint: Endpoint,
  mayPassOver: boolean,
): BlockHeader | null {
  const isNone = answer.kind === 'error' ? isNullRound(answer.error) : answer.value === null
  if (mayPassOver && isNone) return null
  const header = readBlock(answer, formatQuantity(number), endpoint)
  if (header.number === number) return header
  if (mayPassOver && header.number < number) return null
  const { host } = endpoint
  throw new RpcMalformedError(`${host} sent block ${header.number} instead of ${number}.`, {
    retryable: true,
    facts: { host, blockNumber: number },
  })
}

function getBlockByHashCall(hash: Hash): RpcCall {
  return { method: 'eth_getBlockByHash', params: [hash, false] }
}

/** The block with a hash; null if the endpoint does not know it. */
function readHashed(answer: RpcAnswer, call: RpcCall, hash: Hash, endpoint: Endpoint): BlockHeader | null {
  if (answer.kind === 'error') throw endpoint.explain(call, answer.error, 1).error
  const header = answer.value === null ? null : decodeHeader(answer.value, endpoint.host)
  return header?.hash === hash ? header : null
}

/** The newest block that the answering endpoint has; `first` is asked before the others. */
export async function fetchLatestBlock(
  pool: EndpointPool,
  options: Pick<CallOptions, 'budgetMs' | 'first'>,
  signal: AbortSignal,
): Promise<BlockHeader> {
  return await pool.callOne(
    getBlockCall('latest'),
    (answer, endpoint) => readBlock(answer, 'latest', endpoint),
    signal,
    options,
  )
}

/** A request for a header by number or tag. */
export function getBlockCall(block: string): RpcCall {
  return { method: 'eth_getBlockByNumber', params: [block, false] }
}

/** The header that answered such a request. */
export function readBlock(answer: RpcAnswer, block: string, endpoint: Endpoint): BlockHeader {
  const { host } = endpoint
  if (answer.kind === 'error') throw endpoint.explain(getBlockCall(block), answer.error, 1).error
  if (answer.value === null) {
    const name = block === 'latest' ? 'the newest block' : `block ${Number(block)}`
    throw new RpcMissingError(`${host} does not have ${name}.`, { retryable: true, facts: { host } })
  }
  const header = decodeHeader(answer.value, host)
  endpoint.noteBlock(header.number)
  return header
}
