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
import type { FilledFigures, ScaleDatabase } from './scaleStores.ts'

/** Batches that are kept back to the end, and written to both databases in turns. */
const lastBatches = 10

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
 * Fills both databases, where an earlier run has not. The last batches of each are written in turns, so that what a write costs in
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
  const seconds = { small: [] as number[], large: [] as number[] }
  for (let index = 0; index < lastBatches; index++) {
    seconds.small.push(await one.writeNext())
    seconds.large.push(await other.writeNext())
  }
  return {
    small: await one.finish(median(seconds.small)),
    large: await other.finish(median(seconds.large)),
  }
}

interface Fill {
  /** Writes one more batch; answers the seconds of the store for each event. */
  writeNext(): Promise<number>
  finish(lastSeconds: number): Promise<FilledFigures>
}

async function startFill(database: ScaleDatabase, onProgress: (line: string) => void): Promise<Fill> {
  const opened = await openBenchDatabase(database.url)
  await opened.migrate()
  const writer = opened.openWriter()
  const sample = scaleSample(database.attestations)
  await writer.openChain({ chainId: sampleChainId, name: 'Sample', contracts: [sampleContract] })
  const bulkEnd = (Math.floor(sample.eventCount / eventsPerBatch) - lastBatches) * eventsPerBatch
  const bulk = await fillBulk(writer, sample, bulkEnd, onProgress)
  let next = bulkEnd
  return {
    writeNext: async () => {
      const { storeSeconds, events } = await applyBatches(writer, sample.batches(next, next + eventsPerBatch))
      next += events
      return storeSeconds / events
    },
    finish: async (lastSeconds) => {
      if (next < sample.eventCount) await applyBatches(writer, sample.batches(next))
      await writer.close()
      const figures = { bulk, lastSeconds, bytes: await database.measureBytes() }
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
