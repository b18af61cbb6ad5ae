import { InconsistentChainError } from '../errors/reorgErrors.ts'
import { RpcContradictionError } from '../errors/rpcErrors.ts'
import { findMajority } from '../model/findMajority.ts'
import type { Hash } from '../model/hex.ts'
import { askEndpoints, type Vote } from './askEndpoints.ts'
import type { BlockHeader } from './chainClient.ts'
import type { ResolvedOptions } from './chainClientOptions.ts'
import type { Endpoint } from './createEndpoint.ts'
import type { EndpointPool } from './createEndpointPool.ts'
import { fetchBlockAt, fetchBlocks } from './fetchBlocks.ts'

/**
 * The header of a final block, as the endpoints agree on it. All healthy endpoints are asked at once. If their blocks
 * differ:
 * 1. A block with the hash `known`, which the index remembers, is the true one.
 * 2. Otherwise the block of most endpoints is the true one.
 * 3. Without a majority, no block is.
 * Endpoints with another block are quarantined. An endpoint that does not have the block or does not answer in time has
 * no vote.
 * @throws InconsistentChainError, retryable, in the third case.
 */
export async function agreeOnBlock(
  pool: EndpointPool,
  blockNumber: number,
  known: Hash | null,
  options: Pick<ResolvedOptions, 'clock' | 'agreementTimeoutMs'>,
  signal: AbortSignal,
): Promise<BlockHeader> {
  const endpoints = pool.available()
  const votes = endpoints.length < 2 ? [] : await collectVotes(endpoints, blockNumber, options, signal)
  const [first] = votes
  if (first === undefined) {
    const [header] = await fetchBlocks(pool, [blockNumber], new Map(), signal)
    if (header === undefined) throw new RangeError('one call has one result')
    return header
  }
  const byHash = Map.groupBy(votes, ({ value }) => value.hash)
  if (byHash.size === 1) return first.value
  const truth = (known === null ? undefined : byHash.get(known)) ?? findMajority([...byHash.values()])
  if (truth?.[0] === undefined) {
    throw new InconsistentChainError(
      `The endpoints disagree about block ${blockNumber}, which is final: ${describeVotes(votes)}; only one more endpoint can tell who is right.`,
      { retryable: true, facts: { blockNumber } },
    )
  }
  const [{ value: header }] = truth
  for (const vote of votes) {
    if (vote.value.hash === header.hash) continue
    const { host } = vote.endpoint
    const others = truth.map(({ endpoint }) => endpoint.host).join(', ')
    const reference = header.hash === known ? 'the index' : others
    const error = new RpcContradictionError(
      `${host} has another block ${blockNumber} (${vote.value.hash}) than ${reference} (${header.hash}), though it is final.`,
      { retryable: true, facts: { host, blockNumber } },
    )
    pool.quarantine(vote.endpoint, error)
  }
  return header
}

function collectVotes(
  endpoints: readonly Endpoint[],
  blockNumber: number,
  options: Pick<ResolvedOptions, 'clock' | 'agreementTimeoutMs'>,
  signal: AbortSignal,
): Promise<readonly Vote<BlockHeader>[]> {
  const ask = (endpoint: Endpoint, inTime: AbortSignal) => fetchBlockAt(endpoint, blockNumber, inTime)
  return askEndpoints(endpoints, ask, options, signal)
}

function describeVotes(votes: readonly Vote<BlockHeader>[]): string {
  return votes.map(({ endpoint, value }) => `${endpoint.host} has ${value.hash}`).join(', ')
}
