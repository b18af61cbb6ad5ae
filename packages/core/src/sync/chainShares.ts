import type { ChainId } from '../model/compositeId.ts'
import type { Clock } from '../model/clock.ts'
import type { ChainSurvey, IndexWriter } from '../index/indexWriter.ts'

/**
 * The chains of one process among those of all that index into the same database. Invariants:
 * 1. Of the chains that several processes may index, a process takes its share, rounded up: of n chains that m processes
 *    may index, each takes at most ⌈n / m⌉.
 * 2. No chain is left without a process: after a chain has been free for `freeMaxMs`, any process that may index it takes
 *    it beyond its share.
 * 3. A process with more than its share, as when another one starts, gives chains up until it has its share.
 */
export interface ChainShares {
  /** Whether the process may claim the chain now. */
  mayClaim(chainId: ChainId): boolean
  /** To be called when the chain is claimed. The signal aborts where another process is to have the chain. */
  take(chainId: ChainId): AbortSignal
  /** To be called when the process no longer works on the chain. */
  leave(chainId: ChainId): void
  /** Looks who may index the chains. */
  survey(): Promise<void>
  /** Looks again and again until `signal` aborts. Never rejects. */
  watch(signal: AbortSignal): Promise<void>
}

const never = new AbortController().signal

/** The shares of a process that has every chain for itself. */
export const everyChain: ChainShares = {
  mayClaim: () => true,
  take: () => never,
  leave: () => undefined,
  survey: () => Promise.resolve(),
  watch: () => Promise.resolve(),
}

const surveyIntervalMs = 2_000
const freeMaxMs = 10_000

interface TakenChain {
  readonly stop: AbortController
  /** Taken beyond the share, since nobody else took it. */
  readonly isSpare: boolean
}

export function createChainShares(
  chainIds: readonly ChainId[],
  writer: Pick<IndexWriter, 'surveyChains'>,
  clock: Clock,
): ChainShares {
  const taken = new Map<ChainId, TakenChain>()
  /** Since when nobody has had the chain. */
  const freeSinceMs = new Map<ChainId, number>()
  let surveys: readonly ChainSurvey[] = []

  const candidatesOf = (chainId: ChainId) =>
    surveys.find((survey) => survey.chainId === chainId)?.candidates ?? 1

  const isWithinShare = (chainId: ChainId) =>
    taken.has(chainId) || candidatesOf(chainId) === 1 || taken.size < shareOf(surveys)

  function isLeftAlone(chainId: ChainId): boolean {
    const sinceMs = freeSinceMs.get(chainId)
    return sinceMs !== undefined && clock.nowMs() - sinceMs >= freeMaxMs
  }

  async function survey(): Promise<void> {
    const before = surveys
    surveys = await writer.surveyChains(chainIds)
    for (const { chainId, isClaimed } of surveys) {
      if (isClaimed) freeSinceMs.delete(chainId)
      else if (!freeSinceMs.has(chainId)) freeSinceMs.set(chainId, clock.nowMs())
    }
    if (surveys.some(({ candidates }, index) => candidates !== before[index]?.candidates)) {
      for (const [chainId, { stop }] of taken) taken.set(chainId, { stop, isSpare: false })
    }
    const excess = taken.size - shareOf(surveys)
    const shared = [...taken].filter(([chainId, { isSpare }]) => !isSpare && candidatesOf(chainId) > 1)
    for (const [, { stop }] of excess > 0 ? shared.slice(-excess) : []) stop.abort()
  }

  return {
    mayClaim: (chainId) => isWithinShare(chainId) || isLeftAlone(chainId),
    take: (chainId) => {
      const known = taken.get(chainId)
      if (known !== undefined) return known.stop.signal
      const made = { stop: new AbortController(), isSpare: !isWithinShare(chainId) }
      taken.set(chainId, made)
      freeSinceMs.delete(chainId)
      return made.stop.signal
    },
    leave: (chainId) => void taken.delete(chainId),
    survey,
    watch: async (signal) => {
      while (!signal.aborted) {
        await clock.sleep(surveyIntervalMs, signal).catch(() => undefined)
        // While the database is away, so is the reason to give chains up.
        if (!signal.aborted) await survey().catch(() => undefined)
      }
    },
  }
}

/** The chains that are for each candidate, where all take equally many. */
function shareOf(surveys: readonly ChainSurvey[]): number {
  const share = surveys.reduce((sum, { candidates }) => sum + 1 / candidates, 0)
  // Thirds of a chain do not add up to whole ones exactly.
  return Math.ceil(share - 1e-6)
}
