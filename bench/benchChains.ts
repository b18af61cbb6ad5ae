import { projections } from '@attestry/test/harness/projections.ts'
import { setTimeout as delay } from 'node:timers/promises'
import { fieldsDefault } from '@attestry/host/fieldSetting.ts'
import { startWriterThread } from '@attestry/attestry/writer/connectWriter.ts'
import type { IndexWriter } from '@attestry/core/index/indexWriter.ts'
import { migratePostgres } from '@attestry/store/postgres/migratePostgres.ts'
import { withTestConnection } from '@attestry/test/harness/postgresConnection.ts'
import { startPostgresServer } from '@attestry/test/harness/postgresServer.ts'
import { postgresSettings } from './benchStore.ts'
import { applyBatches } from './fillIndex.ts'
import { quantile } from './quantile.ts'
import { createSampleIndex, sampleContract, type SampleBatch } from './sampleIndex.ts'

/** Two indexers that backfill two chains into one PostgreSQL. */
export interface ChainsFigures {
  readonly eventsPerSecond: number
  /** Looks at both sessions while both wrote. */
  readonly looks: number
  /** The share of them, of 1, that found a session waiting for a lock. */
  readonly waitShare: number
  /** The share of the looks at which a statement waited, by the beginning of its text. */
  readonly waits: ReadonlyMap<string, number>
  readonly heads: readonly HeadFigures[]
}

/** Commits of six records at the head of a chain, in milliseconds. */
export interface HeadFigures {
  /** The chains that another indexer backfills meanwhile. */
  readonly beside: (typeof neighbours)[number]
  readonly commits: number
  readonly p50Ms: number
  readonly p99Ms: number
}

export interface ChainsOptions {
  /** Attestations of each of the two chains. */
  readonly attestations: number
  readonly headCommits: number
  readonly onProgress: (line: string) => void
}

/** Another database takes as much of the machine as another chain of the same one, and shares no row. */
const neighbours = ['nothing', 'another database', 'another chain'] as const

const lookEveryMs = 5
const headEveryMs = 50
const headEvents = 6

export async function benchChains(options: ChainsOptions): Promise<ChainsFigures> {
  const { attestations, headCommits, onProgress } = options
  const server = await startPostgresServer({ durable: true, settings: postgresSettings })
  try {
    onProgress('chains: two backfills into one database')
    const url = await createDatabase('both')
    const backfills = [sampleOf(1, attestations), sampleOf(2, attestations)]
    const stores = await Promise.all(backfills.map((sample) => openChain(url, sample.chainId)))
    const watch = watchLocks(url)
    const startMs = performance.now()
    let events = 0
    await Promise.all(
      stores.map(async (writer, index) => {
        const { chainId = 0, batches = [] } = backfills[index] ?? {}
        events += (await applyBatches(writer, batches, { pace: 'backfill', chainId })).events
        // The end of the first ends the looks: what follows has nobody beside itself.
        watch.end()
      }),
    )
    const eventsPerSecond = events / ((performance.now() - startMs) / 1000)
    const watched = await watch.figures
    await Promise.all(stores.map((writer) => writer.close()))

    const heads: HeadFigures[] = []
    for (const beside of neighbours) {
      onProgress(`chains: the head of a chain beside ${beside}`)
      const headUrl = await createDatabase(`head_${heads.length}`)
      const otherUrl = beside === 'another chain' ? headUrl : await createDatabase(`other_${heads.length}`)
      heads.push(await measureHead(headUrl, beside === 'nothing' ? null : otherUrl, beside))
    }
    return { eventsPerSecond, ...watched, heads }
  } finally {
    await server.stop()
  }

  async function createDatabase(name: string): Promise<string> {
    const url = await server.createDatabase(name)
    await migratePostgres(url, { projections })
    return url
  }

  async function measureHead(
    url: string,
    otherUrl: string | null,
    beside: HeadFigures['beside'],
  ): Promise<HeadFigures> {
    const sample = sampleOf(3, headCommits * headEvents * 2, headEvents)
    const writer = await openChain(url, sample.chainId)
    const abort = new AbortController()
    const backfill = otherUrl === null ? null : backfillUntil(otherUrl, attestations, abort.signal)
    // The first batches make the plans, and find their pages.
    await delay(1_000)
    const tookMs: number[] = []
    for (const [index, batch] of sample.batches.entries()) {
      if (tookMs.length === headCommits) break
      const startMs = performance.now()
      await applyBatches(writer, [batch], { pace: 'head', chainId: sample.chainId })
      if (index >= 10) tookMs.push(performance.now() - startMs)
      await delay(headEveryMs)
    }
    abort.abort()
    await backfill
    await writer.close()
    const ascending = Float64Array.from(tookMs).sort()
    const [p50Ms, p99Ms] = [quantile(ascending, 0.5), quantile(ascending, 0.99)]
    return { beside, commits: tookMs.length, p50Ms, p99Ms }
  }
}

/** Backfills one chain after the other until the signal is aborted. */
async function backfillUntil(url: string, attestations: number, signal: AbortSignal): Promise<void> {
  for (let chainId = 4; !signal.aborted; chainId++) {
    const { batches } = sampleOf(chainId, attestations)
    const writer = await openChain(url, chainId)
    for (const batch of batches) {
      if (signal.aborted) break
      await applyBatches(writer, [batch], { pace: 'backfill', chainId })
    }
    await writer.close()
  }
}

interface Sample {
  readonly chainId: number
  readonly batches: readonly SampleBatch[]
}

/** The records of a chain, made before anything is measured. A fifth of them is for accounts that all chains have. */
function sampleOf(chainId: number, attestations: number, events?: number): Sample {
  const sample = createSampleIndex({
    seed: chainId,
    attestations,
    schemas: 200,
    chainId,
    common: attestations,
  })
  return { chainId, batches: [...sample.batches(0, attestations, events)] }
}

async function openChain(url: string, chainId: number): Promise<IndexWriter> {
  const { writer } = await startWriterThread({
    database: { kind: 'postgres', url },
    fields: fieldsDefault,
  })
  await writer.openChain({ chainId, name: `Chain ${chainId}`, contracts: [sampleContract] })
  return writer
}

/** Looks at the sessions of writers at a steady pace until `end`. */
function watchLocks(url: string) {
  let isOver = false
  const figures = (async () => {
    let [looks, waiting] = [0, 0]
    const waits = new Map<string, number>()
    await withTestConnection(url, async (connection) => {
      while (!isOver) {
        const sessions = await connection.all<[boolean, string]>(
          "SELECT coalesce(wait_event_type = 'Lock', false), left(query, 70) FROM pg_stat_activity " +
            "WHERE datname = current_database() AND application_name = 'attestry index'",
        )
        for (const [isWaiting, statement] of sessions) {
          looks += 1
          if (!isWaiting) continue
          waiting += 1
          waits.set(statement, (waits.get(statement) ?? 0) + 1)
        }
        await delay(lookEveryMs)
      }
    })
    const shares = [...waits]
      .sort(([, a], [, b]) => b - a)
      .map(([text, count]) => [text, count / looks] as const)
    return { looks, waitShare: waiting / looks, waits: new Map(shares) }
  })()
  return { figures, end: () => void (isOver = true) }
}
