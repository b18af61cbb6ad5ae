import type { Hex } from '../model/hex.ts'
import { resolveOptions, type ChainClientOptions } from './chainClientOptions.ts'
import { createEndpointPool } from './createEndpointPool.ts'
import type { RpcCall } from './matchAnswers.ts'
import { readResult } from './readContracts.ts'

/** Runs code at the newest block of a chain. Nothing is sent before the first call. */
export interface ContractCaller {
  /**
   * What the code returns where a contract with it is created, in an `eth_call`; null where it reverts.
   * @throws one of the errors of `errors/rpcErrors.ts`.
   */
  run(code: Hex, signal: AbortSignal): Promise<Hex | null>
  close(): Promise<void>
}

export function createContractCaller(given: ChainClientOptions): ContractCaller {
  const pool = createEndpointPool(resolveOptions(given))
  return {
    async run(code, signal) {
      const call: RpcCall = { method: 'eth_call', params: [{ data: code }, 'latest'] }
      const result = await pool.callOne(
        call,
        (answer, endpoint) => readResult(answer, call, endpoint),
        signal,
      )
      return result.kind === 'returned' ? result.data : null
    },
    close: () => pool.destroy(),
  }
}
