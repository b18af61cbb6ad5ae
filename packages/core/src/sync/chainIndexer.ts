import { asClause, AttestryError, describeError } from '../errors/baseError.ts'
import type { ChainStatus } from '../model/chainState.ts'
import { steadyClock, systemClock, type Clock } from '../model/clock.ts'
import { afterFailure } from './afterFailure.ts'
import { createIndexSteps } from './indexSteps.ts'
import { everyChain, type ChainShares } from './chainShares.ts'
import type { ChainParts } from './openProgress.ts'
import { createStatusReporter } from './statusReporter.ts'

/**
 * Keeps the index of one chain true. Invariants:
 * 1. The store's checkpoint is the only memory of progress. After a failure the state is read from the checkpoint.
 * 2. The chain is claimed before any read or write: of all processes that share a database, one indexes the chain. It
 *    gives the chain up where another process is to have it (chainShares.ts).
 * 3. Passing failures (an endpoint that does not answer, or contradicts itself) are retried for ever, with backoff. A
 *    broken invariant stops only this chain.
 */
export interface ChainIndexer {
  /** Runs until `signal` aborts or the chain stops on a broken invariant. Never rejects. */
  run(signal: AbortSignal): Promise<void>
  /** The present phase. */
  status(): ChainStatus
}

export interface ChainIndexerOptions extends ChainParts {
  /** The chains for this process; all of them by default. */
  readonly shares?: ChainShares
  /** Called at every change of the status, at most a few times a second. */
  readonly onStatus?: (status: ChainStatus) => void
  /** Source of the time and of all pauses; the machine's clock by default. */
  readonly clock?: Clock
}

/** How often a standby process asks for the claim of the chain. */
const claimIntervalMs = 1_000

export function createChainIndexer(options: ChainIndexerOptions): ChainIndexer {
  const { chain, client, writer, log } = options
  const { chainId } = chain
  const clock = options.clock ?? systemClock
  const shares = options.shares ?? everyChain
  const status = createStatusReporter(chain, { ...options, clock })
  const steps = createIndexSteps(options, status, { clock, steady: options.clock ?? steadyClock })

  return { run, status: () => status.current() }

  async function run(signal: AbortSignal): Promise<void> {
    let failures = 0
    // A call is retried for up to a minute before it rejects. The status shows the failure at once.
    client.watchRetries((error) => void tryToShow({ lastError: describeError(error) }))
    while (!signal.aborted) {
      let turn = signal
      try {
        await claimChain(signal)
        turn = AbortSignal.any([signal, shares.take(chainId)])
        const progress = await steps.open(turn)
        for (;;) {
          turn.throwIfAborted()
          await steps.step(progress, turn)
          if (failures > 0) log('info', 'the chain answers again', { chainId })
          failures = 0
        }
      } catch (error) {
        if (signal.aborted) break
        shares.leave(chainId)
        if (turn.aborted) {
          log('info', 'another process is to index the chain: giving the chain up', { chainId })
          continue
        }
        failures++
        const lastError = describeError(error)
        const facts = error instanceof AttestryError ? { code: error.code, ...error.facts } : {}
        const next = afterFailure(error, failures)
        if (next.kind === 'stop') {
          log('error', `indexing stopped: ${lastError}`, facts)
          return tryToShow({ phase: 'stopped', lastError })
        }
        if (next.isLogged)
          log('warn', `${asClause(lastError)}; trying again`, { ...facts, attempt: failures })
        await tryToShow({ phase: 'retrying', lastError })
        await clock.sleep(next.delayMs, signal).catch(() => undefined)
      }
    }
    await status.flush().catch(() => undefined)
  }

  /** Waits for the claim of the chain. Until then the process with the claim writes the chain's status. */
  async function claimChain(signal: AbortSignal): Promise<void> {
    let standsBy = false
    // Writes that are still under way under the claim fail.
    if (!shares.mayClaim(chainId)) await writer.releaseChain(chainId)
    while (!shares.mayClaim(chainId) || !(await writer.claimChain(chainId))) {
      if (!standsBy) log('info', 'another process indexes the chain: standing by', { chainId })
      standsBy = true
      await clock.sleep(claimIntervalMs, signal)
    }
    if (standsBy) log('info', 'taking the chain over', { chainId })
  }

  /** Changes the status. If it reports a failure of the store, the store may be unable to save it. */
  async function tryToShow(changes: Partial<ChainStatus>): Promise<void> {
    await status.update(changes).catch(() => undefined)
  }
}
