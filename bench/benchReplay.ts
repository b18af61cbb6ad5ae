import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { performance } from 'node:perf_hooks'
import { createFolderPlace } from '@attestry/archive/places/folderPlace.ts'
import { publishChunks } from '@attestry/archive/chunks/publishChunks.ts'
import { runReplay } from '@attestry/archive/commands/chunks/runReplay.ts'
import { fieldsDefault } from '@attestry/host/fieldSetting.ts'
import { sampleDefault } from '@attestry/archive/chunks/chunksWing.ts'
import type { ChainConfig } from '@attestry/host/config/resolveChains.ts'
import type { DatabaseConfig } from '@attestry/host/config/resolveDatabase.ts'
import { createOutput } from '@attestry/host/createOutput.ts'
import { openDatabase } from '@attestry/host/openDatabase.ts'
import { startWriterThread } from '@attestry/attestry/writer/connectWriter.ts'
import { parseAddress } from '@attestry/core/model/hex.ts'
import { startPostgresServer } from '@attestry/test/harness/postgresServer.ts'
import { backfillOnce, type StubReady } from './benchIngest.ts'
import { postgresSettings, type BenchStoreKind } from './benchStore.ts'
import { startReadyProcess } from './childProcess.ts'

/** A backfill and a replay of the same chain, one after the other. */
export interface ReplayFigures {
  readonly kind: BenchStoreKind
  readonly events: number
  readonly backfillPerSecond: number
  /** End to end: chunks from a folder, checks, rows, indexes, the sample of blocks. */
  readonly replayPerSecond: number
  readonly publishPerSecond: number
  /** CPU time of the program an event, in microseconds. */
  readonly backfillCpuUs: number
  readonly replayCpuUs: number
  /** Bytes of a chunk's file for an event. */
  readonly bytesPerEvent: number
  /** Spans of blocks that the endpoint was asked for. */
  readonly sampled: number
}

/** Backfills a dense chain from a local endpoint, publishes it, and replays what was published. */
export async function benchReplay(attestations: number, kind: BenchStoreKind): Promise<ReplayFigures> {
  const stub = await startReadyProcess<StubReady>(
    new URL('stubServer.ts', import.meta.url),
    [attestations, 'dense', 0].map(String),
  )
  const folder = mkdtempSync(join(tmpdir(), 'attestry-replay-'))
  const databases = await openDatabases(kind, folder)
  try {
    const source = await databases.create('source')
    await (await openDatabase(source)).migrate()
    const { writer } = await startWriterThread({ database: source, fields: fieldsDefault })
    const backfill = await backfillOnce(stub.ready, writer)
    await writer.close()
    const chain = chainConfig(stub.ready)
    const place = createFolderPlace(join(folder, 'published'))
    const signal = new AbortController().signal
    const reader = (await openDatabase(source)).openReader()
    const publishMs = performance.now()
    const [published] = await publishChunks({
      reader,
      chains: [chain],
      place,
      program: 'bench',
      key: null,
      signal,
    })
    const publishSeconds = (performance.now() - publishMs) / 1000
    await reader.close()
    const events = published?.events ?? 0
    const config = {
      database: await databases.create('target'),
      chains: [chain],
      requests: { perSecond: 100_000, inFlight: 64 },
      fields: fieldsDefault,
      chunks: { sample: sampleDefault, publicKey: null, from: place.name },
    } as const
    const output = createOutput({ write: () => undefined }, { debug: false, urls: [] })
    const cpu = process.cpuUsage()
    const startMs = performance.now()
    await runReplay({
      config,
      environment: {},
      output,
      signal,
      answerMeanwhile: async () => undefined,
    })
    const seconds = (performance.now() - startMs) / 1000
    const { user, system } = process.cpuUsage(cpu)
    const manifest = JSON.parse(
      Buffer.from((await place.read('manifest.json', 2 ** 30, signal)) ?? []).toString(),
    ) as {
      readonly chains: readonly { readonly chunks: readonly { readonly bytes: number }[] }[]
    }
    const bytes = manifest.chains.flatMap(({ chunks }) => chunks).reduce((sum, chunk) => sum + chunk.bytes, 0)
    return {
      kind,
      events,
      backfillPerSecond: backfill.eventsPerSecond,
      replayPerSecond: events / seconds,
      publishPerSecond: events / publishSeconds,
      backfillCpuUs: (backfill.cpuSeconds / backfill.events) * 1e6,
      replayCpuUs: (user + system) / events,
      bytesPerEvent: bytes / events,
      sampled: sampleDefault,
    }
  } finally {
    await databases.remove()
    await stub.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}

async function openDatabases(kind: BenchStoreKind, folder: string) {
  if (kind === 'sqlite') {
    const create = (name: string): Promise<DatabaseConfig> =>
      Promise.resolve({ kind: 'sqlite', path: join(folder, `${name}.db`) })
    return { create, remove: () => Promise.resolve() }
  }
  const server = await startPostgresServer({ durable: true, settings: postgresSettings })
  const create = async (name: string): Promise<DatabaseConfig> => ({
    kind: 'postgres',
    url: await server.createDatabase(name),
  })
  return { create, remove: () => server.stop() }
}

function chainConfig({ chainId, contract, url }: StubReady): ChainConfig {
  const address = parseAddress(contract)
  if (address === null) throw new Error('the stub names no usable contract')
  return {
    chainId,
    name: 'Stub',
    explorer: null,
    rpc: [url],
    requests: { perSecond: 100_000, inFlight: 8 },
    deployments: [{ protocol: 'sign', chainId, address, schemaRegistry: null, startBlock: 0 }],
    finality: 64,
    pollIntervalMs: 50,
    transactionSenders: false,
    from: null,
  }
}
