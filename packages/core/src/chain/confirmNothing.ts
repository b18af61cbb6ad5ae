import { RpcRefusedError } from '../errors/rpcErrors.ts'
import { noBytes, parseHex, type Address } from '../model/hex.ts'
import type { ReadResult } from '../protocols/protocolAdapter.ts'
import type { Endpoint } from './createEndpoint.ts'
import type { EndpointPool } from './createEndpointPool.ts'
import type { RpcAnswer, RpcCall } from './matchAnswers.ts'

/**
 * Confirms that the `eth_call` of a contract returns no data. `codeExists` is true if one endpoint, asked for both at
 * once, has the code of the contract and reads nothing from it. An endpoint whose state is older than the contract reads
 * nothing either, but has no code. If no endpoint supports `eth_getCode`, nothing is proved.
 */
export async function confirmNothing(
  pool: EndpointPool,
  contract: Address,
  call: RpcCall,
  signal: AbortSignal,
): Promise<Extract<ReadResult, { kind: 'returned' }>> {
  const codeCall: RpcCall = { method: 'eth_getCode', params: [contract, call.params[1]] }
  try {
    return await pool.persist(async (endpoint, attemptSignal) => {
      const [code, read] = await askBoth(endpoint, codeCall, call, attemptSignal)
      if (code?.kind === 'error') throw endpoint.explain(codeCall, code.error, 1).error
      return isCode(code) && isNothing(read) ? { ...nothing, codeExists: true } : nothing
    }, signal)
  } catch (error) {
    if (signal.aborted || !(error instanceof RpcRefusedError)) throw error
    return nothing
  }
}

const nothing = { kind: 'returned', data: noBytes } as const

/** In one request, so that one node behind a URL answers both, where the endpoint takes batches. */
async function askBoth(
  endpoint: Endpoint,
  first: RpcCall,
  second: RpcCall,
  signal: AbortSignal,
): Promise<readonly (RpcAnswer | null | undefined)[]> {
  if (endpoint.batchSizeMax() > 1) {
    const exchanged = await endpoint.exchange([first, second], signal)
    if (exchanged.kind === 'answers') return exchanged.answers
  }
  return [await endpoint.exchangeOne(first, signal), await endpoint.exchangeOne(second, signal)]
}

function isCode(answer: RpcAnswer | null | undefined): boolean {
  return (
    answer?.kind === 'result' && typeof answer.value === 'string' && (parseHex(answer.value) ?? '').length > 2
  )
}

function isNothing(answer: RpcAnswer | null | undefined): boolean {
  return answer?.kind === 'result' && answer.value === noBytes
}
