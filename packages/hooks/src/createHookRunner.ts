import { asClause } from '@attestry/core/errors/baseError.ts'
import { Agent } from 'undici'
import { resolveSchema } from '@attestry/core/changes/changeFilter.ts'
import { createPauses } from '@attestry/core/changes/pauses.ts'
import type { Clock } from '@attestry/core/model/clock.ts'
import type { ChangeJournal } from '@attestry/core/index/indexQueries.ts'
import type { IndexReader } from '@attestry/core/index/indexReader.ts'
import type { HookReads, SavedHook, StoredHook } from '@attestry/core/index/hookStore.ts'
import { answerMaxMs, deliverMessage, type HookMessage } from './deliverMessage.ts'
import { formatChange, formatMessage, type ChangeForm } from './formatMessages.ts'
import type { HookConfig } from './hookConfig.ts'
import {
  afterDelivery,
  afterFailure,
  parseHookState,
  pauseAfter,
  pauseMaxMs,
  type HookState,
} from './hookState.ts'
import { readSteps } from './readSteps.ts'
import { startState, type HookOrderJson } from './startState.ts'
import type { ChainWatch } from './watchChains.ts'

export interface HookParts extends ChangeForm {
  readonly source: ChangeJournal & HookReads & Pick<IndexReader, 'findSchema'>
  readonly chains: ChainWatch
  /** The time that messages carry, in milliseconds since the epoch. */
  readonly now: () => number
  /** Monotonic clock for all waiting and durations. */
  readonly clock: Clock
  /** Makes an attempt; over HTTP by default. */
  readonly deliver?: typeof deliverMessage
  readonly log: (
    level: 'info' | 'warn' | 'error',
    message: string,
    facts: Readonly<Record<string, unknown>>,
  ) => void
}

/** One hook that is delivered, apart from all others. */
export interface HookRunner {
  /** Delivers until `stop` aborts. Never rejects. */
  run(stop: AbortSignal): Promise<void>
  /** There may be more to deliver. */
  wake(): void
  /** Takes note of the hook's row: of orders. */
  heed(row: StoredHook): void
  /** The state to save; null if nothing has changed since the last call. */
  unsaved(): SavedHook | null
}

/** Changes that are read at once. While attempts fail, one is: a dead receiver costs no memory. */
const stepsMax = 100

/** Pause after a failed read of the index. */
const readPauseMs = 1_000

/** The orders of operators in the hook's row: whether to pause, and the pending order. */
interface Orders {
  readonly isPaused: boolean
  /** Null once it is followed. */
  readonly standing: string | null
  /** The newest order that was followed: the row shows it until what follows from it is saved. */
  readonly taken: string | null
}

/** Times of attempts, by the monotonic clock. */
interface Attempts {
  /** The next one is made no sooner. */
  readonly dueMs: number
  /** The newest one was made then; before the first one, the hook was started. */
  readonly madeMs: number
}

/** News that is not about a record. `message`: null if the hook does not want it. `told`: the state after delivery. */
interface News {
  readonly message: HookMessage | null
  readonly told: Partial<HookState>
}

/**
 * Invariants:
 * 1. Messages are delivered in order, one at a time. An undelivered message holds up all later ones.
 * 2. The state moves past a change only when its message is delivered, or no message of it is wanted.
 * 3. Between two attempts nothing is kept but the state.
 * @param stored the hook's row, which has a state.
 */
export function createHookRunner(hook: HookConfig, parts: HookParts, stored: StoredHook): HookRunner {
  const { source, chains, now, clock, deliver = deliverMessage, log } = parts
  const facts = { hook: hook.name }
  const begun = parseHookState(stored.stateJson)
  if (begun === null) throw new TypeError(`hook ${hook.name} has not begun`)
  let state: HookState = begun
  let isChanged = false
  const { wait, wake } = createPauses(clock)
  let orders: Orders = { isPaused: stored.paused, standing: stored.orderJson, taken: null }
  let attempts = firstAttempts(begun, clock, now())

  function become(next: HookState): void {
    isChanged = true
    state = next
  }

  /** Follows the order that stands. */
  async function obey(): Promise<void> {
    const json = orders.standing
    if (json === null) return
    // `attestry hooks` writes orders.
    const wanted = JSON.parse(json) as HookOrderJson
    if (wanted.kind === 'resume') become({ ...state, failure: null, stopped: null })
    else become(await startState(source, hook.when, wanted.from, state))
    attempts = { ...attempts, dueMs: 0 }
    // Another order may have arrived in the meantime.
    orders = { ...orders, taken: json, standing: orders.standing === json ? null : orders.standing }
    log('info', `hook ${hook.name} ${wanted.kind === 'replay' ? 'begins anew' : 'is tried again'}`, facts)
  }

  /** Makes one attempt. Returns whether the message was delivered. */
  async function attempt(agent: Agent, message: HookMessage, stop: AbortSignal): Promise<boolean> {
    const target = { url: hook.url, secrets: hook.secrets, agent }
    const failure = await deliver(target, message, Math.floor(now() / 1_000), stop)
    const before = state
    if (failure !== null && stop.aborted) return false
    const passedMs = clock.nowMs() - attempts.madeMs
    attempts = { ...attempts, madeMs: clock.nowMs() }
    if (failure === null) {
      if (before.failure !== null) log('info', `hook ${hook.name} delivers again`, facts)
      become(afterDelivery(before, now()))
      return true
    }
    become(afterFailure(before, { ...failure, now: now(), passedMs }))
    attempts = {
      ...attempts,
      dueMs: clock.nowMs() + pauseAfter(state.failure?.attempts ?? 1, failure.retryAfterMs),
    }
    if (state.stopped !== null) logStop(state.stopped)
    else if (before.failure?.message !== failure.message) {
      log(
        'warn',
        `hook ${hook.name} cannot deliver: ${asClause(failure.message)}; it is tried again for three days`,
        facts,
      )
    }
    return false
  }

  function logStop(reason: string): void {
    log('error', `hook ${hook.name} has stopped: ${reason}`, facts)
  }

  /** The message about a chain that has become stale, or fresh again, since the last message about it. */
  function chainNews({ staleChains }: HookState): News | null {
    for (const { status, progressAt, idleMs } of chains.list(clock.nowMs())) {
      const { chainId, name, phase, headBlock, indexedBlock, lastError } = status
      if (hook.filter.chainId !== null && hook.filter.chainId !== chainId) continue
      const isStale = idleMs >= hook.staleAfterMs
      if (isStale === staleChains.includes(chainId)) continue
      const event = isStale ? 'chain.stale' : 'chain.fresh'
      const since = new Date(progressAt).toISOString()
      const data = {
        chainId: String(chainId),
        name,
        phase,
        headBlock,
        indexedBlock,
        lastError,
        progressAt: since,
      }
      const id = `msg_${isStale ? 'stale' : 'fresh'}-${chainId}-${progressAt}`
      const message = hook.events.has(event) ? formatMessage(event, id, now(), data) : null
      const others = staleChains.filter((each) => each !== chainId)
      return { message, told: { staleChains: isStale ? [...others, chainId] : others } }
    }
    return null
  }

  /** Delivers what stands next. Returns whether there may be more at once. */
  async function deliverSome(agent: Agent, stop: AbortSignal): Promise<boolean> {
    await obey()
    const before = state
    if (orders.isPaused || before.stopped !== null || clock.nowMs() < attempts.dueMs) return false
    const news = chainNews(before)
    if (news !== null) {
      if (news.message !== null && !(await attempt(agent, news.message, stop))) return false
      become({ ...state, ...news.told })
      return true
    }
    const found = await readSteps(source, before, before.failure === null ? stepsMax : 1)
    if (found.kind === 'lost') {
      become({ ...before, stopped: lostSentence(hook.name) })
      logStop(lostSentence(hook.name))
      return false
    }
    const { filter } = hook
    const resolved = found.steps.length > 0 ? await resolveSchema(filter, source) : filter
    for (const { change, id, progress } of found.steps) {
      if (stop.aborted || orders.isPaused || orders.standing !== null) return true
      // The schema of a reverted record may be gone too. Its id then means the schema of another protocol.
      const wanted = { ...hook, filter: change.kind === 'reverted' ? filter : resolved }
      const message = await formatChange(wanted, parts, change, id, now())
      if (message !== null && !(await attempt(agent, message, stop))) return false
      // Steps without a message are saved with the next message, or at the end of the batch.
      state = { ...state, ...progress }
    }
    const { place, spans } = before
    const hasMoved = JSON.stringify({ place, spans }) !== JSON.stringify(found.end)
    if (hasMoved) become({ ...state, ...found.end })
    return found.hasMore
  }

  return {
    run: async (stop) => {
      const timeouts = { headersTimeout: answerMaxMs, bodyTimeout: answerMaxMs, connectTimeout: answerMaxMs }
      const agent = new Agent({ ...timeouts, connections: 1 })
      stop.addEventListener('abort', wake)
      while (!stop.aborted) {
        try {
          if (!(await deliverSome(agent, stop))) {
            await wait(Math.min(Math.max(0, attempts.dueMs - clock.nowMs()) || pauseMaxMs, pauseMaxMs))
          }
        } catch (error) {
          log('warn', `hook ${hook.name} cannot read the index`, { ...facts, err: error })
          await wait(readPauseMs)
        }
      }
      await agent.destroy()
    },
    wake,
    heed: (row) => {
      const { taken } = orders
      const standing = row.orderJson === taken ? orders.standing : row.orderJson
      orders = { isPaused: row.paused, standing, taken }
    },
    unsaved: () => {
      if (!isChanged) return null
      isChanged = false
      return { name: hook.name, stateJson: JSON.stringify(state), takenOrderJson: orders.taken }
    },
  }
}

function firstAttempts({ failure }: HookState, clock: Clock, now: number): Attempts {
  const nowMs = clock.nowMs()
  return { madeMs: nowMs, dueMs: failure === null ? 0 : nowMs + Math.min(pauseMaxMs, failure.nextAt - now) }
}

function lostSentence(name: string): string {
  return (
    'the journal no longer holds what follows the last delivery; start the hook again with ' +
    `attestry hooks replay ${name} --from <block, time or now>`
  )
}
