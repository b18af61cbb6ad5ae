import { projections } from '@attestry/test/harness/projections.ts'
import { mkdtempSync, rmSync } from 'node:fs'
import { constants, setPriority, tmpdir } from 'node:os'
import { join } from 'node:path'
import { startContent } from '@attestry/content/thread/startContent.ts'
import { yieldToReaders } from '@attestry/host/yieldToReaders.ts'
import { openBeside } from '@attestry/host/openBeside.ts'
import { contentLayout, openContentStore } from '@attestry/content/contentStore.ts'
import type { LocalId } from '@attestry/core/model/compositeId.ts'
import { migrateSqlite } from '@attestry/store/sqlite/migrateSqlite.ts'
import { backfillOnce, type StubReady } from './benchIngest.ts'
import { openBenchStore } from './benchStore.ts'
import { startReadyProcess } from './childProcess.ts'

/** The cost of fetching content to a concurrent backfill into SQLite. */
export interface ContentFigures {
  readonly without: number
  readonly withContent: number
  /** Contents that were fetched, verified and kept a second. */
  readonly fetchedPerSecond: number
  /** Processor time of this process, in which content is fetched too, and of the gateway: seconds a second. */
  readonly cores: { readonly without: number; readonly withContent: number; readonly gateway: number }
}

interface GatewayReady {
  readonly url: string
  readonly ids: readonly string[]
}

/** Pointers a second that the gateway gives out. */
const pace = 1_000

/** Twice each, in turns; the better backfill of each counts. */
export async function benchContent(attestations: number): Promise<ContentFigures> {
  const stub = await startReadyProcess<StubReady>(
    new URL('stubServer.ts', import.meta.url),
    [attestations, 'dense', 0].map(String),
  )
  // As the thread of the program that indexes.
  yieldToReaders()
  const rates = { without: 0, withContent: 0 }
  const cores = { without: 0, withContent: 0, gateway: 0 }
  let fetchedPerSecond = 0
  try {
    for (const kind of ['without', 'withContent', 'withContent', 'without'] as const) {
      const content = kind === 'without' ? null : await startFetching()
      const store = await openBenchStore('sqlite')
      try {
        const before = await content?.count()
        const gatewayBefore = await content?.cpuSeconds()
        const cpu = process.cpuUsage()
        const { eventsPerSecond, seconds } = await backfillOnce(stub.ready, store.writer)
        const { user, system } = process.cpuUsage(cpu)
        if (eventsPerSecond > rates[kind]) {
          rates[kind] = eventsPerSecond
          cores[kind] = (user + system) / 1e6 / seconds
          if (content !== null) {
            fetchedPerSecond = ((await content.count()) - (before ?? 0)) / seconds
            cores.gateway = ((await content.cpuSeconds()) - (gatewayBefore ?? 0)) / seconds
          }
        }
      } finally {
        await content?.stop()
        await store.remove()
      }
    }
  } finally {
    await stub.stop()
  }
  return { ...rates, fetchedPerSecond, cores }
}

/** Starts the thread that fetches content, with enough pointers for a minute. */
async function startFetching(): Promise<{
  readonly count: () => Promise<number>
  readonly cpuSeconds: () => Promise<number>
  readonly stop: () => Promise<void>
}> {
  const gateway = await startReadyProcess<GatewayReady>(
    new URL('contentGateway.ts', import.meta.url),
    [60 * pace, pace].map(String),
  )
  // It represents other machines.
  setPriority(gateway.pid, constants.priority.PRIORITY_LOW)
  const folder = mkdtempSync(join(tmpdir(), 'attestry-bench-content-'))
  const path = join(folder, 'index.db')
  migrateSqlite(path, { projections })
  const database = { kind: 'sqlite', path } as const
  const beside = await openBeside(database, contentLayout)
  const store = openContentStore(beside)
  const pointers = gateway.ready.ids.map((id, number) => ({
    key: `ipfs:${id}`,
    owner: '',
    record: { chainId: 1, protocol: 'sign', localId: `0x${number.toString(16)}` as LocalId } as const,
    schemaId: '',
    pathText: 'contentId',
    text: id,
  }))
  await store.note(
    { pointers, keys: [] },
    { chainId: 1, location: 'IPFS', place: { chainId: 1, timestamp: 0, position: 0 } },
    Date.now(),
  )
  const content = {
    ipfs: [gateway.ready.url],
    arweave: [],
    https: false,
    maxBytes: 2 ** 20,
    totalBytesMax: 2 ** 33,
    timeoutMs: 20_000,
  }
  const end = startContent({ database, content }, () => undefined)
  const count = async () => {
    const [row] = await beside.all<[number]>("SELECT count(*) FROM content WHERE state = 'verified'")
    return row?.[0] ?? 0
  }
  // The first answers show that the thread has started.
  while ((await count()) === 0) await new Promise((resolve) => setTimeout(resolve, 50))
  return {
    count,
    cpuSeconds: gateway.cpuSeconds,
    stop: async () => {
      await end()
      await store.close()
      await gateway.stop()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
