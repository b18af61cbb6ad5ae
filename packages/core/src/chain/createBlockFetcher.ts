import { isJsonObject } from '../model/jsonObject.ts'
import { agreeByTwo } from './agreeByTwo.ts'
import { InconsistentChainError } from '../errors/reorgErrors.ts'
import { RpcMalformedError, RpcMissingError, RpcRefusedError } from '../errors/rpcErrors.ts'
import type { Hash } from '../model/hex.ts'
import { resolveOptions, type ChainClientOptions } from './chainClientOptions.ts'
import type { Endpoint } from './createEndpoint.ts'
import type { BlockHeader } from './chainClient.ts'
import { decodeHeader } from './decodeHeader.ts'
import { createEndpointPool, type EndpointPool } from './createEndpointPool.ts'
import { fetchBlockAt } from './fetchBlocks.ts'
import type { RpcAnswer, RpcCall } from './matchAnswers.ts'
import { formatQuantity, parseQuantity } from './parseQuantity.ts'

/** Fetches single blocks, one at a time: what proofs are made of, and headers. Nothing is sent before the first call. */
export interface BlockFetcher {
  /**
   * A block with the receipts of its transactions, by two requests where endpoints know `eth_getBlockReceipts`. The
   * hash is that of two endpoints, where the chain has two. The members are as an endpoint told them: who uses them has to
   * hold them against the hash.
   * @throws one of the errors of `errors/rpcErrors.ts`; InconsistentChainError if the chain changed in between.
   */
  fetchBlock(blockNumber: number, signal: AbortSignal): Promise<ToldBlock>
  /**
   * The header of a block by its number or hash, as two endpoints give it, where the chain has two; null if they know no
   * block with the hash. A null round (`nullRounds.ts`) is an empty block.
   * @throws InconsistentChainError if they disagree; RpcUnconfirmedError if fewer than two answer.
   * @throws one of the errors of `errors/rpcErrors.ts`.
   */
  fetchHeader(block: number | Hash, signal: AbortSignal): Promise<AgreedHeader | null>
  close(): Promise<void>
}

/** A header, and how far it can be trusted. */
export interface AgreedHeader extends BlockHeader {
  /** Whether the hash of its members is its hash. False for chains that hash other members. */
  readonly isHashed: boolean
  /** Whether an endpoint gave another header. */
  readonly isDisputed: boolean
}

/** Whether the members of a block, as an endpoint gives them, have the block's hash. */
export type HashesTo = (block: Readonly<Record<string, unknown>>) => boolean

type Members = Readonly<Record<string, unknown>>

/** A block and its receipts, in the order of its transactions, unchecked. */
export interface ToldBlock {
  readonly block: Members
  readonly receipts: readonly Members[]
}

/** Most receipts that are asked for one by one. Blocks with more are seen where `eth_getBlockReceipts` is known too. */
const singleReceiptsMax = 2_000

/** How long it is remembered that no endpoint knows `eth_getBlockReceipts`. */
const refusalRememberedMs = 600_000

/** @param loadHashing loads the check of headers by their hash, for the first header. */
export function createBlockFetcher(
  given: ChainClientOptions,
  loadHashing: () => Promise<HashesTo>,
): BlockFetcher {
  const options = resolveOptions(given)
  const pool = createEndpointPool(options)
  let refusedAtMs: number | null = null

  async function fetchReceipts(block: Members, signal: AbortSignal): Promise<readonly Members[]> {
    const hashes = transactionHashes(block)
    const isKnownRefusal = refusedAtMs !== null && options.clock.nowMs() - refusedAtMs < refusalRememberedMs
    if (!isKnownRefusal) {
      try {
        return await fetchBlockReceipts(pool, block, signal)
      } catch (error) {
        if (!(error instanceof RpcRefusedError) || hashes.length > singleReceiptsMax) throw error
        refusedAtMs = options.clock.nowMs()
      }
    }
    if (hashes.length > singleReceiptsMax) {
      throw new RpcRefusedError(
        `A block has ${hashes.length} transactions, too many to ask for their receipts one by one.`,
        { facts: { chainId: options.chainId } },
      )
    }
    return fetchSingleReceipts(pool, block, hashes, signal)
  }

  async function fetchHeader(wanted: number | Hash, signal: AbortSignal): Promise<AgreedHeader | null> {
    const hashesTo = await loadHashing()
    const ask = async (endpoint: Endpoint, inTime: AbortSignal): Promise<ToldHeader | null> => {
      const told = await askForBlock(endpoint, wanted, inTime)
      if (told === null) return null
      const { members, header } = told
      return { ...header, isHashed: members !== null && hashesTo(members) }
    }
    const question = { ask, about: `block ${wanted}`, keyOf: keyOfHeader }
    const { values, all } = await agreeByTwo(pool, question, options, signal)
    const header = values.find((value) => value?.isHashed === true) ?? values[0] ?? null
    if (header === null) return null
    return { ...header, isDisputed: all.some((other) => contentOf(other) !== contentOf(header)) }
  }

  return {
    async fetchBlock(blockNumber, signal) {
      const agreed = pool.isAlone ? null : await fetchHeader(blockNumber, signal)
      const call: RpcCall = { method: 'eth_getBlockByNumber', params: [formatQuantity(blockNumber), false] }
      const block = await pool.callOne(
        call,
        (answer, endpoint) =>
          readBlock(answer, call, { number: blockNumber, hash: agreed?.hash ?? null }, endpoint),
        signal,
      )
      return { block, receipts: await fetchReceipts(block, signal) }
    },
    fetchHeader,
    close: () => pool.destroy(),
  }
}

/**
 * The header of a block as an endpoint has it, with the members as they were sent. A null round has no members. Null if
 * the endpoint knows no block with the hash.
 */
async function askForBlock(
  endpoint: Endpoint,
  wanted: number | Hash,
  signal: AbortSignal,
): Promise<{ readonly header: BlockHeader; readonly members: Members | null } | null> {
  const isNumber = typeof wanted === 'number'
  const call: RpcCall = isNumber
    ? { method: 'eth_getBlockByNumber', params: [formatQuantity(wanted), false] }
    : { method: 'eth_getBlockByHash', params: [wanted, false] }
  const answer = await endpoint.exchangeOne(call, signal)
  const value = answer.kind === 'error' ? null : answer.value
  const header = isJsonObject(value) ? decodeHeader(value, endpoint.host) : null
  if (header !== null && isJsonObject(value) && (header.number === wanted || header.hash === wanted)) {
    return { header, members: value }
  }
  if (!isNumber) {
    if (answer.kind !== 'error' && value === null) return null
    readValue(answer, call, endpoint)
    throw malformed(endpoint, call, 'is another block')
  }
  const passedOver = await fetchBlockAt(endpoint, wanted, signal)
  if (passedOver !== null) return { header: passedOver, members: null }
  const { host } = endpoint
  throw new RpcMissingError(`${host} does not have block ${wanted}.`, { retryable: true, facts: { host } })
}

interface ToldHeader extends BlockHeader {
  readonly isHashed: boolean
}

/**
 * Headers agree that have the same hash, if that is the hash of one of them: the members of that one are the right ones.
 * Otherwise their members have to be the same as well.
 */
function keyOfHeader(header: ToldHeader | null, all: readonly (ToldHeader | null)[]): string {
  if (header === null) return 'none'
  const isProven = all.some((other) => other?.hash === header.hash && other.isHashed)
  return isProven ? header.hash : contentOf(header)
}

function contentOf(header: ToldHeader | null): string {
  if (header === null) return 'none'
  const { hash, parentHash, number, timestamp } = header
  return [hash, parentHash, number, timestamp].join(' ')
}

async function fetchBlockReceipts(
  pool: EndpointPool,
  block: Members,
  signal: AbortSignal,
): Promise<readonly Members[]> {
  // By number: not every endpoint that knows the method takes a hash.
  const call: RpcCall = { method: 'eth_getBlockReceipts', params: [block['number']] }
  return await pool.callOne(
    call,
    (answer, endpoint) => {
      const value = readValue(answer, call, endpoint)
      if (!Array.isArray(value)) throw malformed(endpoint, call, 'is no list')
      return value.map((receipt) => checkReceipt(receipt, block, call, endpoint))
    },
    signal,
  )
}

function fetchSingleReceipts(
  pool: EndpointPool,
  block: Members,
  hashes: readonly string[],
  signal: AbortSignal,
): Promise<readonly Members[]> {
  const calls = hashes.map((hash): RpcCall => ({ method: 'eth_getTransactionReceipt', params: [hash] }))
  return pool.callEach(
    calls,
    (answer, index, endpoint) => {
      const call = calls[index] ?? { method: 'eth_getTransactionReceipt', params: [] }
      return checkReceipt(readValue(answer, call, endpoint), block, call, endpoint)
    },
    signal,
  )
}

function readBlock(
  answer: RpcAnswer,
  call: RpcCall,
  { number, hash }: { readonly number: number; readonly hash: Hash | null },
  endpoint: Endpoint,
): Members {
  const value = readValue(answer, call, endpoint)
  if (!isJsonObject(value) || typeof value['hash'] !== 'string')
    throw malformed(endpoint, call, 'is no block')
  if (parseQuantity(value['number'], Number.MAX_SAFE_INTEGER) !== number) {
    throw malformed(endpoint, call, `is another block than ${number}`)
  }
  if (hash === null || isSameText(value['hash'], hash)) return value
  const { host } = endpoint
  throw new InconsistentChainError(`${host} has another block ${number} than other endpoints.`, {
    retryable: true,
    facts: { host, blockNumber: number },
  })
}

function readValue(answer: RpcAnswer, call: RpcCall, endpoint: Endpoint): unknown {
  if (answer.kind === 'error') throw endpoint.explain(call, answer.error, 1).error
  if (answer.value !== null && answer.value !== undefined) return answer.value
  const { host } = endpoint
  throw new RpcMissingError(`${host} does not have what ${call.method} was asked for.`, {
    retryable: true,
    facts: { host, method: call.method },
  })
}

/** A receipt of that block, unless it names another one, which means that the chain, or the node that answers, has changed. */
function checkReceipt(value: unknown, block: Members, call: RpcCall, endpoint: Endpoint): Members {
  if (!isJsonObject(value)) throw malformed(endpoint, call, 'is no receipt')
  if (typeof value['blockHash'] !== 'string' || isSameText(value['blockHash'], block['hash'])) return value
  const { host } = endpoint
  throw new InconsistentChainError(`${host} sent a receipt of another block than was asked for.`, {
    retryable: true,
    facts: { host },
  })
}

function transactionHashes(block: Members): readonly string[] {
  const { transactions } = block
  if (!Array.isArray(transactions)) return []
  const items: readonly unknown[] = transactions
  return items
    .map((item) => (isJsonObject(item) ? item['hash'] : item))
    .filter((hash) => typeof hash === 'string')
}

function isSameText(one: unknown, other: unknown): boolean {
  return typeof one === 'string' && typeof other === 'string' && one.toLowerCase() === other.toLowerCase()
}

function malformed({ host }: Endpoint, { method }: RpcCall, what: string): RpcMalformedError {
  return new RpcMalformedError(`The answer of ${host} to ${method} ${what}.`, {
    retryable: true,
    facts: { host, method },
  })
}
