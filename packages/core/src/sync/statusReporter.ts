import type { ChainStatus } from '../model/chainState.ts'
import type { Clock } from '../model/clock.ts'
import { unixMilliseconds } from '../model/time.ts'
import type { ApplySummary, IndexWriter } from '../index/indexWriter.ts'
import type { IndexedChain } from './indexedChain.ts'
import type { DeploymentToIndex } from './resolveDeployments.ts'

/** Keeps the status of a chain and saves it to the database: at once if the phase or the error changes, else rarely. */
export interface StatusReporter {
  current(): ChainStatus
  /** Changes members of the status without saving it. */
  set(changes: Partial<ChainStatus>): void
  /** Counts indexed events, for the rate. */
  count(summary: ApplySummary): void
  /** Changes members of the status and saves it if due. */
  update(changes: Partial<ChainStatus>): Promise<void>
  /** Saves the status now. */
  flush(): Promise<void>
}

const saveIntervalMs = 1_000
/** The time over which the rate is measured. */
const rateWindowMs = 10_000

/** The dependencies of a reporter. */
interface ReporterOptions {
  readonly deployments: readonly DeploymentToIndex[]
  readonly writer: Pick<IndexWriter, 'saveChainStatus'>
  readonly onStatus?: (status: ChainStatus) => void
  readonly clock: Clock
}

export function createStatusReporter(
  chain: IndexedChain,
  { deployments, writer, onStatus, clock }: ReporterOptions,
): StatusReporter {
  let status: ChainStatus = {
    chainId: chain.chainId,
    name: chain.name,
    explorer: chain.explorer ?? null,
    protocols: [...new Set(deployments.map(({ deployment }) => deployment.protocol))],
    phase: 'starting',
    headBlock: null,
    headTimestamp: null,
    headSource: 'polling',
    indexedBlock: null,
    indexedTimestamp: null,
    fromChunks: null,
    reachedHead: false,
    finality: chain.finality,
    eventsPerSecond: 0,
    blocksMended: 0,
    history: [],
    lastError: null,
    updatedAt: unixMilliseconds(clock.nowMs()),
  }
  let samples: { atMs: number; events: number }[] = []
  let savedMs = Number.NEGATIVE_INFINITY
  let saved: ChainStatus | null = null

  const rate = (): number => {
    const nowMs = clock.nowMs()
    samples = samples.filter((sample) => Math.abs(nowMs - sample.atMs) <= rateWindowMs)
    const events = samples.reduce((sum, sample) => sum + sample.events, 0)
    const spanMs = Math.max(1_000, nowMs - (samples[0]?.atMs ?? nowMs))
    return Math.round((events * 1000) / spanMs)
  }

  const flush = async (): Promise<void> => {
    status = { ...status, eventsPerSecond: rate(), updatedAt: unixMilliseconds(clock.nowMs()) }
    savedMs = clock.nowMs()
    saved = status
    onStatus?.(status)
    await writer.saveChainStatus(status)
  }

  return {
    current: () => status,
    set: (changes) => {
      status = { ...status, ...changes }
    },
    count: ({ schemas, attestations, revocations, anchors, undecodable }) => {
      const events = schemas + attestations + revocations + anchors + undecodable
      if (events > 0) samples.push({ atMs: clock.nowMs(), events })
    },
    update: async (changes) => {
      status = { ...status, ...changes }
      const urgent =
        saved?.phase !== status.phase ||
        saved.lastError !== status.lastError ||
        saved.headSource !== status.headSource ||
        saved.reachedHead !== status.reachedHead ||
        saved.history !== status.history
      if (urgent || Math.abs(clock.nowMs() - savedMs) >= saveIntervalMs) await flush()
    },
    flush,
  }
}
