import { AttestryError } from '../errors/baseError.ts'
import { InconsistentChainError } from '../errors/reorgErrors.ts'
import { RpcMalformedError, RpcUnreachableError } from '../errors/rpcErrors.ts'
import { isJsonObject } from '../model/jsonObject.ts'
import type { Address, Hash } from '../model/hex.ts'
import { isMissingMethod } from './classifyRefusal.ts'
import { resolveOptions, type ChainClientOptions } from './chainClientOptions.ts'
import type { Endpoint } from './createEndpoint.ts'
import { createEndpointPool } from './createEndpointPool.ts'
import { getBlockCall } from './fetchBlocks.ts'
import type { RpcCall } from './matchAnswers.ts'
import { formatQuantity, parseQuantity } from './parseQuantity.ts'

/** Words of an account's storage. */
export interface AccountWords {
  readonly account: Address
  readonly slots: readonly Hash[]
}

/** One endpoint at its newest block. Answers are as the endpoint sent them: whoever uses them checks them. */
export interface StateSession {
  readonly host: string
  /** The block, as `eth_getBlockByNumber` answered. */
  readonly block: Readonly<Record<string, unknown>>
  /**
   * The answers to `eth_getProof` at that block, in their order: in one request where the endpoint takes batches.
   * @throws one of the errors of `errors/rpcErrors.ts`.
   */
  prove(wanted: readonly AccountWords[]): Promise<readonly unknown[]>
}

/**
 * Asks the endpoints of a chain for proofs of its newest state. An endpoint that does not know the method is asked
 * again after an hour, by one request.
 */
export interface StateFetcher {
  /**
   * Runs `task` with one endpoint after the other, until it succeeds.
   * @param probed an account that is asked for to find out whether an endpoint knows the method by now.
   * @throws the error of the last endpoint; RpcRefusedError if no endpoint knows the method.
   */
  run<Result>(
    probed: Address,
    task: (session: StateSession) => Promise<Result>,
    signal: AbortSignal,
  ): Promise<Result>
  close(): Promise<void>
}

/** How long an endpoint that does not know the method is not asked. */
const refusalRememberedMs = 3_600_000

export function createStateFetcher(given: ChainClientOptions): StateFetcher {
  const options = resolveOptions(given)
  const { clock } = options
  const pool = createEndpointPool(options)
  const refused = new Map<Endpoint, { readonly error: AttestryError; readonly untilMs: number }>()

  function noteRefusal(endpoint: Endpoint, error: unknown): unknown {
    if (error instanceof AttestryError && isMissingMethod(error)) {
      refused.set(endpoint, { error, untilMs: clock.nowMs() + refusalRememberedMs })
    }
    return error
  }

  async function prove(
    endpoint: Endpoint,
    wanted: readonly AccountWords[],
    block: string,
    signal: AbortSignal,
  ): Promise<readonly unknown[]> {
    const calls = wanted.map(({ account, slots }): RpcCall => {
      return { method: 'eth_getProof', params: [account, slots, block] }
    })
    const answers = await exchangeAll(endpoint, calls, signal).catch((error: unknown) => {
      throw noteRefusal(endpoint, error)
    })
    const values = answers.map((answer, index) => {
      const call = calls[index] ?? { method: 'eth_getProof', params: [] }
      if (answer?.kind === 'result' && isJsonObject(answer.value)) return answer.value
      if (answer?.kind !== 'error') {
        throw new RpcMalformedError(`The answer of ${endpoint.host} to eth_getProof is no proof.`, {
          retryable: true,
          facts: { host: endpoint.host },
        })
      }
      throw noteRefusal(endpoint, endpoint.explain(call, answer.error, calls.length).error)
    })
    refused.delete(endpoint)
    return values
  }

  async function open(endpoint: Endpoint, probed: Address, signal: AbortSignal): Promise<StateSession> {
    if (refused.has(endpoint)) await prove(endpoint, [{ account: probed, slots: [] }], 'latest', signal)
    const call = getBlockCall('latest')
    const answer = await endpoint.exchangeOne(call, signal)
    if (answer.kind === 'error') throw endpoint.explain(call, answer.error, 1).error
    const block = isJsonObject(answer.value) ? answer.value : {}
    const number = parseQuantity(block['number'], Number.MAX_SAFE_INTEGER)
    const { host } = endpoint
    if (number === null) {
      throw new RpcMalformedError(`The answer of ${host} to ${call.method} is no block.`, {
        retryable: true,
        facts: { host },
      })
    }
    return { host, block, prove: (wanted) => prove(endpoint, wanted, formatQuantity(number), signal) }
  }

  return {
    async run(probed, task, signal) {
      const nowMs = clock.nowMs()
      const able = pool.available().filter((endpoint) => (refused.get(endpoint)?.untilMs ?? 0) <= nowMs)
      let failure: Error | null = null
      // An only endpoint may have moved on between the two requests.
      for (const [turn, endpoint] of [...able, ...able.slice(0, 1)].entries()) {
        if (turn === able.length && !(failure instanceof InconsistentChainError)) break
        signal.throwIfAborted()
        try {
          return await task(await open(endpoint, probed, signal))
        } catch (error) {
          if (signal.aborted) throw signal.reason
          if (!(error instanceof Error)) throw error
          failure = error
        }
      }
      if (failure !== null) throw failure
      const [first] = pool.endpoints.flatMap((each) => refused.get(each)?.error ?? each.lastError() ?? [])
      throw first ?? new RpcUnreachableError('No endpoint can be asked.', { retryable: true })
    },
    close: () => pool.destroy(),
  }
}

/** The answers to calls in one request; one by one if the endpoint takes no batches. */
async function exchangeAll(endpoint: Endpoint, calls: readonly RpcCall[], signal: AbortSignal) {
  if (calls.length > 1 && endpoint.batchSizeMax() >= calls.length) {
    const exchanged = await endpoint.exchange(calls, signal)
    if (exchanged.kind === 'answers') return exchanged.answers
    endpoint.limitBatch(calls.length, exchanged.suggestedSize)
  }
  const answers = []
  for (const call of calls) answers.push(await endpoint.exchangeOne(call, signal))
  return answers
}
