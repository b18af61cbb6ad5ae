import { setTimeout as delay } from 'node:timers/promises'
import { AttestryError, describeError } from '@attestry/core/errors/baseError.ts'
import type { IndexReader } from '@attestry/core/index/indexReader.ts'
import type { DatabaseConfig } from '@attestry/host/config/resolveDatabase.ts'
import { createBlockRates } from '@attestry/host/createBlockRates.ts'
import type { OutputStream } from '@attestry/host/createOutput.ts'
import { createScreen } from '@attestry/host/createScreen.ts'
import { formatChainLine, formatStatus } from '@attestry/host/formatStatus.ts'
import { cutLine } from '@attestry/host/formatQuantities.ts'
import { openExisting } from '@attestry/host/openDatabase.ts'
import { summariseChain, type ChainSummary } from '@attestry/host/summariseChain.ts'
import { closing } from '@attestry/host/closing.ts'

const intervalMs = 1_000
/** Interval at which a pipe gets all chains: only a write notices that the reader has gone. */
const repeatMs = 10_000

export interface WatchOptions {
  readonly json: boolean
  readonly stream: WatchedStream
}

interface WatchedStream extends OutputStream {
  readonly rows?: number
  /** Characters that the reader has not taken yet. */
  readonly writableLength?: number
}

/**
 * Shows the status of all chains each second until the signal aborts: on a terminal as one table in place, elsewhere as
 * lines of the chains that have changed. A database that does not answer for a while is shown and asked again.
 * @throws StartError when the database does not exist.
 */
export async function watchStatus(
  config: DatabaseConfig,
  { json, stream }: WatchOptions,
  signal: AbortSignal,
): Promise<void> {
  await using reader = closing((await openExisting(config)).openReader())
  const rates = createBlockRates()
  const show = stream.isTTY === true && !json ? createTable(stream) : createLines(stream, json)
  while (!signal.aborted) {
    const reading = await readChains(reader, rates.measure)
    // A reader that pauses gets the newest state when it goes on, not the states in between.
    if ((stream.writableLength ?? 0) === 0) show(reading)
    await delay(intervalMs, undefined, { signal }).catch(() => undefined)
  }
}

/** The chains, or the sentence about a failure after which a later read may succeed. */
type Reading = readonly ChainSummary[] | string

async function readChains(
  reader: IndexReader,
  measure: ReturnType<typeof createBlockRates>['measure'],
): Promise<Reading> {
  try {
    const overviews = await reader.listChains()
    return overviews.map((overview) => summariseChain(overview, measure(overview.status)))
  } catch (error) {
    if (error instanceof AttestryError && error.retryable) return describeError(error)
    throw error
  }
}

function createTable(stream: WatchedStream): (reading: Reading) => void {
  const screen = createScreen(stream)
  let chains: readonly ChainSummary[] = []
  return (reading) => {
    const { columns = 80, rows = 24 } = stream
    if (typeof reading !== 'string') chains = reading
    const note = typeof reading === 'string' ? reading : chains.length === 0 ? 'no chain yet' : null
    const table = chains.length === 0 ? [] : formatStatus(chains, Date.now(), columns)
    const lines = note === null ? table : [...table, cutLine(note, columns)]
    // A live line above the top of the terminal cannot be rewritten. The cursor stands below the last line.
    const fitting = lines.slice(0, Math.max(1, rows - 2))
    const left = lines.length - fitting.length
    screen.setLiveLines(left === 0 ? fitting : [...fitting, `… ${left} more`])
  }
}

function createLines(stream: WatchedStream, json: boolean): (reading: Reading) => void {
  const print = createScreen(stream).printLine
  let shown = new Map<number | null, string>()
  let nextRepeatMs = 0
  return (reading) => {
    const nowMs = performance.now()
    if (nowMs >= nextRepeatMs) {
      shown = new Map()
      nextRepeatMs = nowMs + repeatMs
    }
    const time = new Date().toISOString()
    if (typeof reading === 'string') {
      if (shown.get(null) === reading) return
      shown.set(null, reading)
      print(json ? JSON.stringify({ error: reading }) : `${time} ${reading}`)
      return
    }
    shown.delete(null)
    for (const chain of reading) {
      const line = formatChainLine(chain)
      if (shown.get(chain.chainId) === line) continue
      shown.set(chain.chainId, line)
      print(json ? JSON.stringify(chain) : `${time} ${line}`)
    }
  }
}
