import { createHeldAnswers, heldAnswersMax, type HeldAnswers } from './heldAnswers.ts'
import { steadyClock, type Clock } from '../model/clock.ts'
import { parseAddress, type Address } from '../model/hex.ts'
import type { ChainId } from '../model/compositeId.ts'
import type { EndpointAddress } from './parseEndpointUrl.ts'
import type { SharedBudget } from './requestBudget.ts'
import type { RpcTransport } from './rpcTransport.ts'

/** Options of a chain client. Only `chainId` and `endpoints` have no default. */
export interface ChainClientOptions {
  readonly chainId: ChainId
  /**
   * http, https, ws or wss URLs in the order of preference; they may hold keys and are never shown but for their host.
   */
  readonly endpoints: readonly string[]
  /** A whole exchange, from the connection to the last byte. */
  readonly requestTimeoutMs?: number
  /** How long one request is retried before its call rejects. */
  readonly callBudgetMs?: number
  /**
   * The same for the head, by default as long: who asks for it again and again, and tells when nobody answers, need not
   * wait until all patience has run out.
   */
  readonly headBudgetMs?: number
  /** How often one request is tried before its call rejects, whatever time is left. */
  readonly attemptsMax?: number
  /** Delay after the first failure; it doubles with each further one up to `retryDelayMaxMs`, with jitter. */
  readonly retryDelayMs?: number
  readonly retryDelayMaxMs?: number
  /** How long endpoints are waited for when all are asked about one block. */
  readonly agreementTimeoutMs?: number
  /** HTTP requests under way at one endpoint. */
  readonly concurrencyPerEndpoint?: number
  /** Calls sent to one endpoint within any second, each call of a batch counted; null: no limit. */
  readonly callsPerSecond?: number | null
  /** The request budget that the endpoints of several chains share. */
  readonly sharedBudget?: SharedBudget | null
  /** JSON-RPC calls in one HTTP request, at most those of a second. */
  readonly batchSizeMax?: number
  /** View calls in one Multicall3 call. */
  readonly readsPerCallMax?: number
  readonly maxResponseBytes?: number
  /** The answers of all endpoints that are arriving. */
  readonly heldAnswers?: HeldAnswers
  /** Blocks that the first request for logs spans, and the most that any will. */
  readonly logRangeInitialBlocks?: number
  readonly logRangeMaxBlocks?: number
  /**
   * Answers with the most logs of an endpoint, all with as many, that are read again to find out whether the endpoint
   * leaves out logs; 0: no answer is read again.
   */
  readonly answerChecks?: number
  readonly onEvent?: (event: ChainEvent) => void
  /** Called after every HTTP request to an endpoint, with the code of its error; null: it was answered. */
  readonly onRequest?: (host: string, errorCode: string | null) => void
  readonly clock?: Clock
  /** Creates the transport of an endpoint; by default the one for the scheme of its URL. */
  readonly createTransport?: (address: EndpointAddress, options: ResolvedOptions) => RpcTransport
  /** Uniform in [0, 1), for the jitter. */
  readonly random?: () => number
}

/** Events that are worth a line in a log. No field reveals more of an endpoint than its host. */
export type ChainEvent =
  /** The endpoint was healthy and failed; reported once until it recovers. `times`: failures since the last such event. */
  | {
      readonly kind: 'endpointFailed'
      readonly host: string
      readonly code: string
      readonly message: string
      readonly times: number
    }
  | { readonly kind: 'endpointRecovered'; readonly host: string }
  /** The endpoint asks for fewer requests; said once, then every ten minutes at most with the refusals since. */
  | {
      readonly kind: 'rateLimited'
      readonly host: string
      readonly retryInMs: number
      /** Requests sent a second from now on; null: as many as before. */
      readonly perSecond: number | null
      readonly refusals: number
    }
  /** The endpoint has asked for fewer requests, and has not for some minutes. */
  | { readonly kind: 'rateRestored'; readonly host: string }
  /** The endpoint serves another chain and is left out; said once until it serves the right one. */
  | {
      readonly kind: 'wrongChain'
      readonly host: string
      readonly expectedChainId: ChainId
      readonly foundChainId: ChainId
    }
  /** The endpoint contradicts the others about what cannot change any more, and is left out for a while. */
  | {
      readonly kind: 'quarantined'
      readonly host: string
      readonly code: string
      readonly message: string
      readonly retryInMs: number
    }
  /** The endpoint does not give a log of that block that others have: for some hours it is not asked for old logs. */
  | { readonly kind: 'logsForgotten'; readonly host: string; readonly blockNumber: number }
  /**
   * The endpoint left logs out of an answer, such as those of that block. For some hours it is asked for old logs only
   * if no other endpoint is available, and then in smaller parts.
   */
  | { readonly kind: 'logsLeftOut'; readonly host: string; readonly blockNumber: number }
  /** The endpoint's subscription announced a head that could then be fetched. */
  | { readonly kind: 'headsTold'; readonly host: string }
  /**
   * The subscription has ended, or the first one could not be opened. Heads are polled until a subscription announces
   * a head that can be fetched.
   */
  | { readonly kind: 'headsLost'; readonly host: string; readonly reason: string }
  | { readonly kind: 'batchLimited'; readonly host: string; readonly batchMax: number }
  /** The endpoint named the most blocks that a request for logs may span. */
  | { readonly kind: 'logRangeLimited'; readonly host: string; readonly blocks: number }
  /** Multicall3 is not deployed on this chain: view calls go out one by one. */
  | { readonly kind: 'multicallMissing' }

export type ResolvedOptions = Required<Omit<ChainClientOptions, 'createTransport'>> &
  Pick<ChainClientOptions, 'createTransport'>

/** The address of Multicall3, the same on nearly every chain (github.com/mds1/multicall). */
export const multicall3Address = checkedAddress('0xcA11bde05977b3631167028862bE2a173976CA11')

export function resolveOptions(options: ChainClientOptions): ResolvedOptions {
  return {
    requestTimeoutMs: 30_000,
    callBudgetMs: 60_000,
    headBudgetMs: options.callBudgetMs ?? 60_000,
    attemptsMax: 8,
    retryDelayMs: 250,
    retryDelayMaxMs: 8_000,
    agreementTimeoutMs: 5_000,
    concurrencyPerEndpoint: 8,
    callsPerSecond: null,
    sharedBudget: null,
    readsPerCallMax: 200,
    maxResponseBytes: 128 * 1024 * 1024,
    heldAnswers: createHeldAnswers(heldAnswersMax),
    logRangeInitialBlocks: 100,
    logRangeMaxBlocks: 500_000,
    answerChecks: 2,
    onEvent: () => {},
    onRequest: () => {},
    clock: steadyClock,
    random: Math.random,
    ...options,
    batchSizeMax: Math.min(
      options.batchSizeMax ?? 100,
      options.callsPerSecond ?? Infinity,
      options.sharedBudget?.perSecond ?? Infinity,
    ),
  }
}

function checkedAddress(text: string): Address {
  const address = parseAddress(text)
  if (address === null) throw new TypeError(`${text} is no address`)
  return address
}
