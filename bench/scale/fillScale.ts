import { applyBatches, type FillFigures } from '../fillIndex.ts'
import { openBenchDatabase } from '../openBenchDatabase.ts'
import { median } from '../quantile.ts'
import {
  createSampleIndex,
  eventsPerBatch,
  sampleChainId,
  sampleContract,
  type SampleIndex,
} from '../sampleIndex.ts'
import type { IndexWriter } from '../../src/store/indexWriter.ts'
import type { FilledFigures, ScaleDatabase, WriteCost } from './scaleStores.ts'

/** What is kept back to the end, and written to both databases in turns: so many times a commit of a backfill, and some of the head. */
const turns = 10
/** Events in a commit at the head of a busy chain. */
const headEvents = 10
/** Commits of the head in a turn. */
const headCommits = 50
const eventsPerTurn = eventsPerBatch + headEvents * headCommits

export interface ScaleFill {
  readonly large: FilledFigures
  readonly small: FilledFigures
}

/** The records of an index of this size, in the proportions of the largest that is measured. */
export function scaleSample(attestations: number): SampleIndex {
  const options = {
    attestations,
    schemas: Math.ceil(attestations / 200),
    addresses: Math.ceil(attestations / 10),
  }
  return createSampleIndex({ seed: 1, ...options })
}

/**
 * Fills both databases, where an earlier run has not. The last events of each are written in turns, so that what a write costs in
 * the one and in the other is measured while the machine is the same.
 */
export async function fillScale(
  large: ScaleDatabase,
  small: ScaleDatabase,
  onProgress: (line: string) => void,
): Promise<ScaleFill> {
  const known = { large: large.filled(), small: small.filled() }
  if (known.large !== null && known.small !== null) return { large: known.large, small: known.small }
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

async function startFill(database: ScaleDatabase, onProgress: (line: string) => void): Promise<Fill> {
  const opened = await openBenchDatabase(database.url)
  await opened.migrate()
  const writer = opened.openWriter()
  const sample = scaleSample(database.attestations)
  await writer.openChain({ chainId: sampleChainId, name: 'Sample', contracts: [sampleContract] })
  const bulkEnd = Math.floor(sample.eventCount / eventsPerBatch) * eventsPerBatch - turns * eventsPerTurn
  const bulk = await fillBulk(writer, sample, bulkEnd, onProgress)
  let next = bulkEnd

  /** Writes the next events in commits of that many; answers the seconds of the store for each event. */
  async function write(count: number, perCommit: number): Promise<number> {
    const batches = sample.batches(next, next + count, perCommit)
    const { storeSeconds, events } = await applyBatches(writer, batches)
    next += events
    return storeSeconds / events
  }

  return {
    takeTurn: async () => ({
      backfillSeconds: await write(eventsPerBatch, eventsPerBatch),
      headSeconds: await write(headEvents * headCommits, headEvents),
    }),
    finish: async (costs) => {
      if (next < sample.eventCount) await applyBatches(writer, sample.batches(next))
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

async function fillBulk(
  writer: IndexWriter,
  sample: SampleIndex,
  end: number,
  onProgress: (line: string) => void,
): Promise<FillFigures> {
  let nextSaid = 0
  const startMs = performance.now()
  return await applyBatches(writer, sample.batches(0, end), (events) => {
    if (events < nextSaid) return
    nextSaid += 250_000
    const rate = events / ((performance.now() - startMs) / 1000)
    onProgress(`  ${events} of ${sample.eventCount} events, ${Math.round(rate)} a second so far`)
  })
}
