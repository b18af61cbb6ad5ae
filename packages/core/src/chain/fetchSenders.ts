import { RpcMalformedError, RpcMissingError, RpcUnconfirmedError } from '../errors/rpcErrors.ts'
import { parseAddress, parseHash, type Address, type Hash } from '../model/hex.ts'
import { isJsonObject } from '../model/jsonObject.ts'
import { agreeByTwo } from './agreeByTwo.ts'
import { callChunk } from './callChunk.ts'
import type { ResolvedOptions } from './chainClientOptions.ts'
import type { Endpoint } from './createEndpoint.ts'
import type { EndpointPool } from './createEndpointPool.ts'
import type { RpcAnswer, RpcCall } from './matchAnswers.ts'

/**
 * The senders of transactions, in the order of the hashes, as two endpoints give them. The answers of one endpoint count
 * only while no other one can answer: a chain goes on with the endpoints that are left.
 * @throws InconsistentChainError, retryable, if endpoints disagree, and neither answer has the majority.
 * @throws one of the errors of `errors/rpcErrors.ts` if no endpoint answers.
 */
export async function fetchSenders(
  pool: EndpointPool,
  hashes: readonly Hash[],
  options: Pick<ResolvedOptions, 'clock' | 'agreementTimeoutMs'>,
  signal: AbortSignal,
): Promise<readonly Address[]> {
  const calls = hashes.map((hash): RpcCall => ({ method: 'eth_getTransactionByHash', params: [hash] }))
  const read = (answer: RpcAnswer, index: number, endpoint: Endpoint) =>
    readSender(answer, hashes[index], calls[index], endpoint)
  if (!pool.isAlone && hashes.length > 0) {
    const question = {
      about: `the senders of ${hashes.length} transactions, the first ${hashes[0]}`,
      ask: (endpoint: Endpoint, inTime: AbortSignal) =>
        callChunk<Address, Endpoint>(calls, read, (task) => task(endpoint, inTime)),
      keyOf: (senders: readonly Address[]) => senders.join(' '),
    }
    try {
      // Without a budget: no endpoint that is away is waited for.
      const agreed = await agreeByTwo(pool, question, { ...options, callBudgetMs: 0 }, signal)
      if (agreed.values[0] !== undefined) return agreed.values[0]
    } catch (error) {
      if (!(error instanceof RpcUnconfirmedError)) throw error
    }
  }
  return pool.callEach(calls, read, signal)
}

function readSender(
  answer: RpcAnswer,
  hash: Hash | undefined,
  call: RpcCall | undefined,
  endpoint: Endpoint,
): Address {
  const { host } = endpoint
  if (answer.kind === 'error') {
    throw endpoint.explain(call ?? { method: 'eth_getTransactionByHash', params: [] }, answer.error, 1).error
  }
  const facts = { host, transactionHash: hash }
  if (answer.value === null) {
    throw new RpcMissingError(`${host} does not have transaction ${hash}.`, { retryable: true, facts })
  }
  const transaction = isJsonObject(answer.value) ? answer.value : {}
  const from = typeof transaction['from'] === 'string' ? parseAddress(transaction['from']) : null
  const found = typeof transaction['hash'] === 'string' ? parseHash(transaction['hash']) : null
  if (from === null || (found !== null && found !== hash)) {
    throw new RpcMalformedError(`${host} sent something else than transaction ${hash}.`, {
      retryable: true,
      facts,
    })
  }
  return from
}
