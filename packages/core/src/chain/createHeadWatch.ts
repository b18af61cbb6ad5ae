import type { Hash } from '../model/hex.ts'
import type { ResolvedOptions } from './chainClientOptions.ts'
import type { Endpoint } from './createEndpoint.ts'
import { subscribeToHeads, type HeadSubscription, type ToldHead } from './subscribeToHeads.ts'

/**
 * The subscriptions to new heads of all endpoints that have them. Invariants:
 * 1. A message of a subscription is only a hint to fetch the head, which is then checked like any other.
 * 2. A subscription costs at most `vainMax` × `triesMax` fetches for blocks that do not exist, before it is closed.
 * 3. A subscription that misses `missedMax` heads in a row is closed. Each closed one is opened again, after a pause
 *    that grows until one of its heads was true.
 */
export interface HeadWatch {
  /** Notes a head that was fetched. */
  note(head: ToldHead): void
  /** The endpoint that announced a head which was not fetched yet. */
  teller(): Endpoint | null
  /**
   * Waits until a subscription announces a head that was not fetched yet (true), or for `delayMs` or until a
   * subscription is lost (false). The first call opens the subscriptions.
   */
  wait(delayMs: number, signal: AbortSignal): Promise<boolean>
  /** Whether a subscription announced the newest heads. */
  isLive(): boolean
}

/**
 * How often the head is fetched for a told block that the endpoint does not have yet, and the first pause in between.
 */
const triesMax = 4
const tryAgainMs = 50
/** Told blocks in a row that never came. */
const vainMax = 5
const missedMax = 3
/** Announced heads that are remembered for each subscription: more than come between two polls. */
const rememberedMax = 64

interface Watched {
  readonly endpoint: Endpoint
  readonly subscription: HeadSubscription
  isOpen: boolean
  /** Whether a head that it announced was fetched. */
  isTrue: boolean
  /** Told heads in a row that did not come. */
  vain: number
  /** Fetched heads in a row that it did not announce; -1 before the first one since its opening. */
  missed: number
  /** The hashes of the newest heads that it announced. */
  readonly told: Hash[]
}

/** @param signal ends all subscriptions. */
export function createHeadWatch(
  endpoints: readonly Endpoint[],
  options: Pick<ResolvedOptions, 'clock' | 'random' | 'onEvent'>,
  signal: AbortSignal,
): HeadWatch {
  const { clock, onEvent } = options
  let watched: readonly Watched[] | null = null
  let newest: ToldHead | null = null
  /** The newest told head that was not fetched yet. */
  let news: { readonly head: ToldHead; readonly by: Watched } | null = null
  let tries = 0
  let wake: () => void = () => undefined

  function watch(endpoint: Endpoint): Watched | null {
    if (endpoint.listen === null) return null
    const { host } = endpoint
    let hasFailed = false
    const listener = {
      onOpened() {
        Object.assign(each, { isOpen: true, isTrue: false, vain: 0, missed: -1 })
        each.told.length = 0
      },
      onTold: (head: ToldHead) => noteTold(each, head),
      onEnded(reason: string) {
        if (each.isTrue || !hasFailed) onEvent({ kind: 'headsLost', host, reason })
        // The head is polled at once: blocks may have come meanwhile.
        if (each.isTrue) wake()
        hasFailed = true
        each.isOpen = false
        each.isTrue = false
        if (news?.by === each) news = null
      },
    }
    const subscription = subscribeToHeads(endpoint, endpoint.listen, listener, options, signal)
    const each: Watched = {
      endpoint,
      subscription,
      isOpen: false,
      isTrue: false,
      vain: 0,
      missed: -1,
      told: [],
    }
    return each
  }

  function noteTold(each: Watched, head: ToldHead): void {
    if (each.endpoint.isQuarantined() || each.endpoint.wrongChainId() !== null) return
    each.told.push(head.hash)
    if (each.told.length > rememberedMax) each.told.shift()
    if (head.hash === newest?.hash) return noteTrue(each)
    // A shorter branch is left to polling: its heads would wake for every block that a late node catches up with.
    if (newest !== null && head.number < newest.number) return
    if (news === null) tries = 0
    news = { head, by: each }
    wake()
  }

  function noteTrue(each: Watched): void {
    each.vain = 0
    each.subscription.noteSuccess()
    if (each.isTrue) return
    each.isTrue = true
    onEvent({ kind: 'headsTold', host: each.endpoint.host })
  }

  /** Compares the told head with a fetched one. */
  function settle(fetched: ToldHead): void {
    if (news === null) return
    const { head, by } = news
    if (fetched.hash === head.hash || fetched.number > head.number) noteTrue(by)
    else if (++tries < triesMax) return
    else if (++by.vain >= vainMax) {
      by.subscription.renew(`${by.endpoint.host} tells of blocks that it does not have`)
    }
    news = null
    tries = 0
  }

  function countMissed(before: ToldHead): void {
    for (const each of watched ?? []) {
      if (!each.isOpen) continue
      each.missed = each.told.includes(before.hash) ? 0 : each.missed + 1
      if (each.missed >= missedMax) each.subscription.renew(`${each.endpoint.host} tells of no new blocks`)
    }
  }

  return {
    note(head) {
      settle(head)
      if (newest !== null && head.number > newest.number) countMissed(newest)
      newest = head
    },
    teller: () => news?.by.endpoint ?? null,
    async wait(delayMs, waiting) {
      watched ??= endpoints.map(watch).filter((each) => each !== null)
      const pauseMs = tries === 0 ? 0 : tryAgainMs * 2 ** (tries - 1)
      const woken = new AbortController()
      wake = () => woken.abort()
      const stop = AbortSignal.any([waiting, woken.signal])
      await clock.sleep(news === null ? delayMs : Math.min(delayMs, pauseMs), stop).catch(() => undefined)
      return news !== null
    },
    isLive: () => watched?.some(({ isOpen, isTrue, missed }) => isOpen && isTrue && missed <= 0) ?? false,
  }
}
