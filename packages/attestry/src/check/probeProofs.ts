import type { Address } from '@attestry/core/model/hex.ts'
import { isJsonObject } from '@attestry/core/model/jsonObject.ts'
import { resolveOptions } from '@attestry/core/chain/chainClientOptions.ts'
import { createEndpoint, type Endpoint } from '@attestry/core/chain/createEndpoint.ts'
import type { RpcCall } from '@attestry/core/chain/matchAnswers.ts'
import { AttestryError } from '@attestry/core/errors/baseError.ts'
import { describeUrl } from '@attestry/host/config/describeValue.ts'
import type { ChainConfig } from '@attestry/host/config/resolveChains.ts'

/** Whether an endpoint proves the newest state of its chain. */
export interface ProofAbility {
  /** Null if the endpoint did not say. */
  readonly provesState: boolean | null
  /** Why it does not, or why that is not known; null if it does. */
  readonly reason: string | null
}

/** An endpoint in the output of `attestry status --json`. */
export interface EndpointAbility extends ProofAbility {
  /** The URL without all that may be a key. */
  readonly endpoint: string
}

/** Asks an endpoint for a proof of an account, by one request. */
export async function probeProof(
  endpoint: Endpoint,
  account: Address,
  signal: AbortSignal,
): Promise<ProofAbility> {
  const call: RpcCall = { method: 'eth_getProof', params: [account, [], 'latest'] }
  const answer = await endpoint.exchangeOne(call, signal)
  if (answer.kind !== 'error') {
    const provesState = isJsonObject(answer.value)
    return { provesState, reason: provesState ? null : `The answer of ${endpoint.host} is no proof.` }
  }
  const { error } = endpoint.explain(call, answer.error, 1)
  // An endpoint that is busy says nothing about the method.
  return { provesState: error.facts['refusal'] === 'refused' ? false : null, reason: error.message }
}

/** Asks all endpoints of a chain at once, each for at most `limitMs`. */
export async function probeProofs(
  { chainId, rpc, deployments }: Pick<ChainConfig, 'chainId' | 'rpc' | 'deployments'>,
  limitMs: number,
): Promise<readonly EndpointAbility[]> {
  const [first] = deployments
  return await Promise.all(
    rpc.map(async (url): Promise<EndpointAbility> => {
      const named = { endpoint: describeUrl(url).slice(1, -1) }
      if (first === undefined) return { ...named, provesState: null, reason: 'No contract is configured.' }
      const options = { chainId, endpoints: [url], requestTimeoutMs: limitMs }
      const endpoint = createEndpoint(url, resolveOptions(options))
      const signal = AbortSignal.timeout(limitMs)
      try {
        return { ...named, ...(await probeProof(endpoint, first.address, signal)) }
      } catch (error) {
        if (signal.aborted) {
          return { ...named, provesState: null, reason: `No answer within ${limitMs / 1000} s.` }
        }
        if (!(error instanceof AttestryError)) throw error
        return { ...named, provesState: null, reason: error.message }
      } finally {
        await endpoint.destroy()
      }
    }),
  )
}
