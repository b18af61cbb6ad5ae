import type { FieldSetting } from '@attestry/host/fieldSetting.ts'
import { openBenchStore } from './benchStore.ts'
import { fillIndex } from './fillIndex.ts'
import { createSampleIndex } from './sampleIndex.ts'

/** The cost of the field index to a backfill. */
export interface FieldFigures {
  readonly all: FieldFill
  readonly none: FieldFill
}

interface FieldFill {
  readonly eventsPerSecond: number
  readonly bytesPerEvent: number
}

/** Nearly all values of two of the three fields of a payload differ, which is what an index of them costs most for. */
const sample = { seed: 1, attestations: 50_000, schemas: 500, addresses: 20_000 }

/** Fills a SQLite store with the index of fields and without it, twice each; the better fill of each counts. */
export async function benchFields(): Promise<FieldFigures> {
  const fills = { all: [] as FieldFill[], none: [] as FieldFill[] }
  for (const fields of ['none', 'all', 'all', 'none'] as const) fills[fields].push(await fillOnce(fields))
  return { all: better(fills.all), none: better(fills.none) }
}

async function fillOnce(fields: FieldSetting): Promise<FieldFill> {
  const store = await openBenchStore('sqlite', fields)
  try {
    const { events, eventsPerSecond } = await fillIndex(store.writer, createSampleIndex(sample))
    return { eventsPerSecond, bytesPerEvent: (await store.measureBytes()) / events }
  } finally {
    await store.remove()
  }
}

function better(fills: readonly FieldFill[]): FieldFill {
  return fills.reduce((a, b) => (b.eventsPerSecond > a.eventsPerSecond ? b : a))
}
