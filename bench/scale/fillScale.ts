import { applyBatches, type ApplyOptions, type FillFigures } from '../fillIndex.ts'
import { openBenchDatabase } from '../openBenchDatabase.ts'
import { median } from '../quantile.ts'
import {
  createSampleIndex,
  eventsPerBatch,
  eventsUpTo,
  sampleChainId,
  sampleContract,
  type SampleIndex,
} from '../sampleIndex.ts'
import type { IndexWriter } from '@attestry/core/index/indexWriter.ts'
import type { FilledFigures, ScaleDatabase, WriteCost } from './scaleStores.ts'

/**
 * Events held back to the end and written to both databases alternately: batches of a backfill, and commits of the
 * head.
 */
const turns = 4
/** Events of a backfill per turn; a store may commit all their batches at once. */
const backfillEvents = 4 * eventsPerBatch
/** Events per commit at the head of a busy chain. */
const headEvents = 10
/** Commits of the head per turn. */
const headCommits = 100
const eventsPerTurn = backfillEvents + headEvents * headCommits

/** Minimum of attestations for all turns. */
export const attestationsMin = turns * eventsPerTurn + eventsPerBatch

export interface ScaleFill {
  readonly large: FilledFigures
  readonly small: FilledFigures
}

/** The sample index of this size, in the proportions of the largest measured one. */
export function scaleSample(attestations: number): SampleIndex {
  const options = {
    attestations,
    schemas: Math.ceil(attestations / 200),
    addresses: Math.ceil(attestations / 10),
    repeatsValues: true,
  }
  return createSampleIndex({ seed: 1, ...options })
}

/**
 * Fills both databases, unless an earlier run did. The last events are written alternately, so that both costs of
 * writing are measured under the same conditions.
 */
export async function fillScale(
  large: ScaleDatabase,
  small: ScaleDatabase,
  onProgress: (line: string) => void,
): Promise<ScaleFill> {
  const known = { large: large.filled(), small: small.filled() }
  if (known.large !== null && known.small !== null) {
    // An earlier version of the program may have filled the databases.
    for (const { url } of [large, small]) await (await openBenchDatabase(url)).migrate()
    return { large: known.large, small: known.small }
  }
  const one = await startFill(small, onProgress)
  const other = await startFill(large, onProgress)
  const costs = { small: [] as WriteCost[], large: [] as WriteCost[] }
  for (let turn = 0; turn < turns; turn++) {
    costs.small.push(await one.takeTurn())
    costs.large.push(await other.takeTurn())
  }
  return { small: await one.finish(costs.small), large: await other.finish(costs.large) }
}

interface Fill {
  takeTurn(): Promise<WriteCost>
  finish(costs: readonly WriteCost[]): Promise<FilledFigures>
}

/** Continues an interrupted run; the figures cover the events of this run. */
async function startFill(database: ScaleDatabase, onProgress: (line: string) => void): Promise<Fill> {
  const sample = scaleSample(database.attestations)
  const bulkEnd = Math.floor(sample.eventCount / eventsPerBatch) * eventsPerBatch - turns * eventsPerTurn
  let opened = await openFilled(database)
  if (opened.events > bulkEnd) {
    await opened.writer.close()
    await database.empty()
    opened = await openFilled(database)
  }
  const { writer } = opened
  const bulk = await fillBulk(writer, sample, { from: opened.events, to: bulkEnd }, onProgress)
  let next = bulkEnd

  /** Writes the next events in batches of this size; returns the seconds of the store per event. */
  async function write(count: number, perBatch: number, pace: ApplyOptions['pace']): Promise<number> {
    const batches = sample.batches(next, next + count, perBatch)
    const { storeSeconds, events } = await applyBatches(writer, batches, { pace })
    next += events
    return storeSeconds / events
  }

  return {
    takeTurn: async () => ({
      backfillSeconds: await write(backfillEvents, eventsPerBatch, 'backfill'),
      headSeconds: await write(headEvents * headCommits, headEvents, 'head'),
    }),
    finish: async (costs) => {
      if (next < sample.eventCount) await applyBatches(writer, sample.batches(next), { pace: 'backfill' })
      await writer.close()
      const cost = {
        backfillSeconds: median(costs.map(({ backfillSeconds }) => backfillSeconds)),
        headSeconds: median(costs.map(({ headSeconds }) => headSeconds)),
      }
      const figures = { bulk, cost, bytes: await database.measureBytes() }
      database.markFilled(figures)
      return figures
    },
  }
}

/** Opens a database for writing and counts its events. */
async function openFilled(
  database: ScaleDatabase,
): Promise<{ readonly writer: IndexWriter; readonly events: number }> {
  const opened = await openBenchDatabase(database.url)
  await opened.migrate()
  const writer = opened.openWriter()
  const chain = { chainId: sampleChainId, name: 'Sample', contracts: [sampleContract] }
  const { checkpoint } = await writer.openChain(chain)
  return { writer, events: checkpoint === null ? 0 : eventsUpTo(checkpoint.blockNumber) }
}

async function fillBulk(
  writer: IndexWriter,
  sample: SampleIndex,
  { from, to }: { readonly from: number; readonly to: number },
  onProgress: (line: string) => void,
): Promise<FillFigures> {
  let nextSaid = 0
  const startMs = performance.now()
  const onEvents = (events: number) => {
    if (events < nextSaid) return
    nextSaid += 250_000
    const rate = events / ((performance.now() - startMs) / 1000)
    onProgress(`  ${from + events} of ${sample.eventCount} events, ${Math.round(rate)} a second so far`)
  }
  return await applyBatches(writer, sample.batches(from, to), { pace: 'backfill', onProgress: onEvents })
}
