import { InconsistentChainError } from '../errors/reorgErrors.ts'
import { type RpcMissingError, type RpcRefusedError, RpcUnconfirmedError } from '../errors/rpcErrors.ts'
import type { Address } from '../model/hex.ts'
import { agreeByTwo } from './agreeByTwo.ts'
import { isMissingState, type CodeAnswer } from './chainClient.ts'
import type { ResolvedOptions } from './chainClientOptions.ts'
import type { Endpoint } from './createEndpoint.ts'
import type { EndpointPool } from './createEndpointPool.ts'
import type { RpcCall } from './matchAnswers.ts'
import { isNullRound } from './nullRounds.ts'
import { formatQuantity } from './parseQuantity.ts'
import { isEmpty, readHexResult } from './readContracts.ts'

/** A node that has pruned a state will not find it again: asking every endpoint some times is enough. */
const missingStateBudgetMs = 4_000

/**
 * Whether an address has code in the state after a block, as two endpoints say where two have that state.
 * @throws RpcMissingError or RpcRefusedError if no endpoint has that state.
 * @throws RpcUnconfirmedError, retryable, if no endpoint answers and some may have that state.
 */
export async function fetchCode(
  pool: EndpointPool,
  address: Address,
  blockNumber: number,
  options: Pick<ResolvedOptions, 'clock' | 'agreementTimeoutMs' | 'callBudgetMs'>,
  signal: AbortSignal,
): Promise<CodeAnswer> {
  const budgetMs = Math.min(missingStateBudgetMs, options.callBudgetMs)
  if (pool.isAlone) {
    return await pool.persist(
      async (endpoint, inTime): Promise<CodeAnswer> => {
        const exists = await hasCodeAt(endpoint, address, blockNumber, inTime)
        endpoint.noteSuccess()
        return { exists, certainty: 'alone', hosts: [endpoint.host] }
      },
      signal,
      { budgetMs, mayBeMissing: true },
    )
  }
  const told = new Map<Endpoint, boolean>()
  const lacking = new Map<Endpoint, RpcMissingError | RpcRefusedError>()
  const hosts = () => [...told.keys()].map(({ host }) => host)
  const ask = async (endpoint: Endpoint, inTime: AbortSignal) => {
    try {
      const exists = await hasCodeAt(endpoint, address, blockNumber, inTime)
      told.set(endpoint, exists)
      return exists
    } catch (error) {
      if (isMissingState(error)) lacking.set(endpoint, error)
      throw error
    }
  }
  const question = { about: `the code of ${address} at block ${blockNumber}`, ask, keyOf: String }
  try {
    const { values } = await agreeByTwo(pool, question, { ...options, callBudgetMs: budgetMs }, signal)
    return { exists: values[0] === true, certainty: 'agreed', hosts: hosts() }
  } catch (error) {
    if (error instanceof InconsistentChainError) {
      return { exists: true, certainty: 'disputed', hosts: hosts() }
    }
    if (!(error instanceof RpcUnconfirmedError)) throw error
    const mayTell = pool
      .trusted()
      .filter((endpoint) => endpoint.wrongChainId() === null && !told.has(endpoint) && !lacking.has(endpoint))
    const [exists] = told.values()
    if (exists !== undefined) {
      return { exists, certainty: mayTell.length === 0 ? 'alone' : 'unconfirmed', hosts: hosts() }
    }
    const [missing] = lacking.values()
    throw mayTell.length === 0 && missing !== undefined ? missing : error
  }
}

/** The state after a null round is that of the block before. */
async function hasCodeAt(
  endpoint: Endpoint,
  address: Address,
  blockNumber: number,
  signal: AbortSignal,
): Promise<boolean> {
  for (let number = blockNumber; number >= 0; number--) {
    const call: RpcCall = { method: 'eth_getCode', params: [address, formatQuantity(number)] }
    const answer = await endpoint.exchangeOne(call, signal)
    if (answer.kind === 'error' && isNullRound(answer.error)) continue
    return !isEmpty(readHexResult(answer, call, endpoint))
  }
  return false
}
