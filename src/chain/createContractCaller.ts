import { parseHex, type Hex } from '../model/hex.ts'
import { RpcMalformedError } from '../errors/rpcErrors.ts'
import { resolveOptions, type ChainClientOptions } from './chainClientOptions.ts'
import { createEndpointPool } from './createEndpointPool.ts'
import type { RpcCall } from './matchAnswers.ts'
import { parseRevert } from './parseRevert.ts'

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
      const [result = null] = await pool.callEach(
        [call],
        (answer, _, endpoint): Hex | null => {
          if (answer.kind === 'error') {
            if (parseRevert(answer.error) !== null) return null
            throw endpoint.explain(call, answer.error, 1).error
          }
          const data = typeof answer.value === 'string' ? parseHex(answer.value) : null
          if (data !== null) return data
          throw new RpcMalformedError(`${endpoint.host} answered eth_call with something that is no data.`, {
            retryable: true,
            facts: { host: endpoint.host, method: call.method },
          })
        },
        signal,
      )
      return result
    },
    close: () => pool.destroy(),
  }
}
