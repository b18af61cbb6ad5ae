import { RpcMalformedError } from '../errors/rpcErrors.ts'
import { parseHex, type Address } from '../model/hex.ts'
import type { ResolvedOptions } from './chainClientOptions.ts'
import type { EndpointPool } from './createEndpointPool.ts'
import type { RpcCall } from './matchAnswers.ts'
import { formatQuantity } from './parseQuantity.ts'

/** A node that has pruned a state will not find it again: asking every endpoint some times is enough. */
const missingStateBudgetMs = 4_000

/**
 * Whether a contract stands at an address at the state after a block.
 * @throws RpcMissingError or RpcRefusedError when no endpoint has that state.
 */
export async function fetchHasCode(
  pool: EndpointPool,
  address: Address,
  blockNumber: number,
  options: Pick<ResolvedOptions, 'callBudgetMs'>,
  signal: AbortSignal,
): Promise<boolean> {
  const call: RpcCall = { method: 'eth_getCode', params: [address, formatQuantity(blockNumber)] }
  const [hasCode] = await pool.callEach(
    [call],
    (answer, _, endpoint) => {
      if (answer.kind === 'error') throw endpoint.explain(call, answer.error, 1).error
      const code = typeof answer.value === 'string' ? parseHex(answer.value) : null
      if (code !== null) return code.length > 2
      throw new RpcMalformedError(`${endpoint.host} answered eth_getCode with something that is no code.`, {
        retryable: true,
        facts: { host: endpoint.host, method: call.method },
      })
    },
    signal,
    { budgetMs: Math.min(missingStateBudgetMs, options.callBudgetMs), mayBeMissing: true },
  )
  return hasCode === true
}
