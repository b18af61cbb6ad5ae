import { isJsonObject } from '../model/jsonObject.ts'
import { InconsistentChainError } from '../errors/reorgErrors.ts'
import { RpcMalformedError, RpcMissingError, RpcRefusedError } from '../errors/rpcErrors.ts'
import type { Hash } from '../model/hex.ts'
import { resolveOptions, type ChainClientOptions } from './chainClientOptions.ts'
import type { Endpoint } from './createEndpoint.ts'
import type { BlockHeader } from './chainClient.ts'
import { decodeHeader } from './decodeHeader.ts'
import { createEndpointPool, type EndpointPool } from './createEndpointPool.ts'
import { fetchBlocks } from './fetchBlocks.ts'
import type { RpcAnswer, RpcCall } from './matchAnswers.ts'
import { formatQuantity, parseQuantity } from './parseQuantity.ts'

/** Fetches single blocks, one at a time: what proofs are made of, and headers. Nothing is sent before the first call. */
export interface BlockFetcher {
  /**
   * A block with the receipts of its transactions, by two requests where endpoints know `eth_getBlockReceipts`. The
   * members are as an endpoint told them: who uses them has to hold them against the block's hash.
   * @throws one of the errors of `errors/rpcErrors.ts`; InconsistentChainError where the chain changed in between.
   */
  fetchBlock(blockNumber: number, signal: AbortSignal): Promise<ToldBlock>
  /**
   * The header of a block by its number or hash, by one request as a rule; null if the endpoint knows no block with the
   * hash. A null round (`nullRounds.ts`) is an empty block.
   * @throws one of the errors of `errors/rpcErrors.ts`.
   */
  fetchHeader(block: number | Hash, signal: AbortSignal): Promise<BlockHeader | null>
  close(): Promise<void>
}

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

export function createBlockFetcher(given: ChainClientOptions): BlockFetcher {
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

  return {
    async fetchBlock(blockNumber, signal) {
      const call: RpcCall = { method: 'eth_getBlockByNumber', params: [formatQuantity(blockNumber), false] }
      const block = await pool.callOne(
        call,
        (answer, endpoint) => readBlock(answer, call, blockNumber, endpoint),
        signal,
      )
      return { block, receipts: await fetchReceipts(block, signal) }
    },
    async fetchHeader(wanted, signal) {
      if (typeof wanted === 'number') return (await fetchBlocks(pool, [wanted], new Map(), signal))[0] ?? null
      const call: RpcCall = { method: 'eth_getBlockByHash', params: [wanted, false] }
      return await pool.callOne(
        call,
        (answer, endpoint) => {
          if (answer.kind !== 'error' && answer.value === null) return null
          const read = decodeHeader(readValue(answer, call, endpoint), endpoint.host)
          if (read.hash !== wanted) throw malformed(endpoint, call, 'is another block')
          return read
        },
        signal,
      )
    },
    close: () => pool.destroy(),
  }
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

function readBlock(answer: RpcAnswer, call: RpcCall, blockNumber: number, endpoint: Endpoint): Members {
  const value = readValue(answer, call, endpoint)
  if (!isJsonObject(value) || typeof value['hash'] !== 'string')
    throw malformed(endpoint, call, 'is no block')
  if (parseQuantity(value['number'], Number.MAX_SAFE_INTEGER) !== blockNumber) {
    throw malformed(endpoint, call, `is another block than ${blockNumber}`)
  }
  return value
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
