import { InconsistentChainError } from '../errors/reorgErrors.ts'
import { RpcMalformedError, RpcMissingError } from '../errors/rpcErrors.ts'
import type { Hash } from '../model/hex.ts'
import type { BlockHeader } from './chainClient.ts'
import type { Endpoint } from './createEndpoint.ts'
import type { CallOptions, EndpointPool } from './createEndpointPool.ts'
import { decodeHeader } from './decodeHeader.ts'
import type { RpcAnswer, RpcCall } from './matchAnswers.ts'
import { formatQuantity } from './parseQuantity.ts'

export interface FetchBlocksOptions {
  /** Endpoints that are asked only when no other one answers. */
  readonly last?: readonly Endpoint[]
  /** Told of a block that an endpoint has otherwise than `hashes` says, even where another endpoint has it so. */
  readonly onOther?: (blockNumber: number) => void
}

/**
 * The headers of blocks by number, in the order asked. Where `hashes` has a block, it must be that one.
 * @throws RpcMissingError when no endpoint has a block; InconsistentChainError when it is another one than `hashes`
 *   says.
 */
export async function fetchBlocks(
  pool: EndpointPool,
  numbers: readonly number[],
  hashes: ReadonlyMap<number, Hash>,
  signal: AbortSignal,
  { last = [], onOther = () => {} }: FetchBlocksOptions = {},
): Promise<readonly BlockHeader[]> {
  const calls = numbers.map((number) => getBlockCall(formatQuantity(number)))
  return pool.callEach(
    calls,
    (answer, index, endpoint) => {
      const number = numbers[index] ?? -1
      const header = readBlock(answer, formatQuantity(number), endpoint)
      const facts = { host: endpoint.host, blockNumber: number }
      if (header.number !== number) {
        throw new RpcMalformedError(`${endpoint.host} sent block ${header.number} instead of ${number}.`, {
          retryable: true,
          facts,
        })
      }
      const hash = hashes.get(number)
      if (hash !== undefined && hash !== header.hash) {
        onOther(number)
        throw new InconsistentChainError(
          `Block ${number} of ${endpoint.host} is another one than that of its logs.`,
          { retryable: true, facts },
        )
      }
      return header
    },
    signal,
    { last },
  )
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
