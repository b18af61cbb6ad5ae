import type { Address } from '../model/hex.ts'
import type { ResolvedOptions } from './chainClientOptions.ts'
import type { EndpointPool } from './createEndpointPool.ts'
import type { RpcCall } from './matchAnswers.ts'
import { formatQuantity } from './parseQuantity.ts'
import { readHexResult } from './readContracts.ts'

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
  const code = await pool.callOne(call, (answer, endpoint) => readHexResult(answer, call, endpoint), signal, {
    budgetMs: Math.min(missingStateBudgetMs, options.callBudgetMs),
    mayBeMissing: true,
  })
  return code.length > 2
}
