import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { anonymousMegabytes } from './anonymousMemory.ts'
import type { StubReady } from './benchIngest.ts'
import { configFor } from './benchLatency.ts'
import { runtimeSettings, startReadyProcess } from './childProcess.ts'
import { servingUrl } from './servingUrl.ts'

export interface MemoryFigures {
  readonly attestations: number
  readonly events: number
  readonly blocks: number
  readonly eventsPerSecond: number
  /**
   * Anonymous memory of all processes of the program, in megabytes: the highest during the backfill, and some seconds
   * after.
   */
  readonly highestMegabytes: number
  readonly afterMegabytes: number
}

const sampleIntervalMs = 100
export const restSeconds = 10

/**
 * Runs `attestry start` with its default configuration and measures its memory until it has reached the head and is
 * idle. The endpoint allows any range; its chain has more than a hundred events in each block.
 */
export async function benchMemory(attestations: number): Promise<MemoryFigures> {
  const folder = mkdtempSync(join(tmpdir(), 'attestry-bench-'))
  const stub = await startReadyProcess<StubReady>(new URL('stubServer.ts', import.meta.url), [
    String(attestations),
    'crowded',
  ])
  try {
    const configPath = join(folder, 'attestry.yaml')
    const server = { host: '127.0.0.1', port: 0, explorer: false }
    writeFileSync(configPath, JSON.stringify({ ...configFor(stub.ready, join(folder, 'index.db')), server }))
    const startMs = performance.now()
    const program = await startReadyProcess<string>(
      new URL('../packages/attestry/src/attestry.js', import.meta.url),
      ['start', '--config', configPath],
      servingUrl,
      runtimeSettings,
    )
    try {
      let highestMegabytes = 0
      while ((await fetch(`${program.ready}/readyz`)).status !== 200) {
        highestMegabytes = Math.max(highestMegabytes, anonymousMegabytes(program.pid))
        await delay(sampleIntervalMs)
      }
      const seconds = (performance.now() - startMs) / 1000
      await delay(restSeconds * 1000)
      return {
        attestations: stub.ready.attestations,
        events: stub.ready.events,
        blocks: stub.ready.head,
        eventsPerSecond: stub.ready.events / seconds,
        highestMegabytes,
        afterMegabytes: anonymousMegabytes(program.pid),
      }
    } finally {
      await program.stop()
    }
  } finally {
    await stub.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}
