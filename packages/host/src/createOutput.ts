import type { Logger } from 'pino'
import type { SyncLog } from '@attestry/core/sync/indexedChain.ts'
import type { ChainConfig } from './config/resolveChains.ts'
import { createLogger, createUrlRedactor, type LogLevel } from './createLogger.ts'
import { createScreen, type Screen } from './createScreen.ts'
import type { ChainStatus } from '@attestry/core/model/chainState.ts'
import { createBlockRates } from './createBlockRates.ts'
import { formatProgress, type ChainProgress } from './progress.ts'

/** The standard output of a running service. */
export interface Output {
  readonly log: Logger
  readonly syncLog: SyncLog
  /** Opens the live display of chains, which shows nothing where standard output is no terminal. */
  openProgress(chains: readonly ChainConfig[]): ProgressDisplay
  /** Writes a line unchanged. */
  printLine(line: string): void
  /** Shows live lines below the log on a terminal; see `Screen`. */
  showLive(lines: readonly string[]): void
}

export interface OutputStream {
  write(text: string): unknown
  readonly isTTY?: boolean
  readonly columns?: number
}

const columnsDefault = 80

export interface OutputOptions {
  readonly debug: boolean
  /** Endpoint URLs; lines show only their hosts. */
  readonly urls: readonly string[]
  /** Only errors, for a person also where standard output is no terminal, and no display of chains. */
  readonly quiet?: boolean
  /** Without it, `info`. */
  readonly level?: LogLevel | undefined
  /** Without it, lines for a person on a terminal, else JSON. */
  readonly format?: LogFormat | undefined
}

export const logFormats = ['json', 'pretty'] as const
export type LogFormat = (typeof logFormats)[number]

export function createOutput(stream: OutputStream, options: OutputOptions): Output {
  const quiet = options.quiet === true
  const format = options.format ?? (stream.isTTY === true || quiet ? 'pretty' : 'json')
  // Live lines would stand between the lines of JSON.
  const isTerminal = stream.isTTY === true && format === 'pretty'
  const screen = createScreen(stream)
  const log = createLogger({
    writeLine: screen.printLine,
    human: format === 'pretty',
    level: quiet ? 'error' : options.level,
    debug: options.debug,
    redact: createUrlRedactor(options.urls),
  })
  return {
    log,
    printLine: screen.printLine,
    showLive: (lines) => {
      if (isTerminal) screen.setLiveLines(lines)
    },
    syncLog: (level, message, facts) => log[level](facts, message),
    openProgress: (chains) =>
      isTerminal && !quiet
        ? createProgressDisplay(screen, chains, () => stream.columns ?? columnsDefault)
        : { update: () => undefined, close: () => undefined },
  }
}

/** The live display of all chains on a terminal. */
interface ProgressDisplay {
  update(status: ChainStatus): void
  /** Removes the live lines. */
  close(): void
}

function createProgressDisplay(
  screen: Screen,
  chains: readonly Pick<ChainConfig, 'chainId' | 'deployments'>[],
  columns: () => number,
): ProgressDisplay {
  const startBlocks = new Map(chains.map(({ chainId, deployments }) => [chainId, firstBlock(deployments)]))
  const progress = new Map<number, ChainProgress>()
  const rates = createBlockRates()
  let closed = false
  return {
    update: (status) => {
      const { chainId, updatedAt } = status
      if (closed || updatedAt === null) return
      const blocksPerSecond = rates.measure(status)
      progress.set(chainId, { status, startBlock: startBlocks.get(chainId) ?? null, blocksPerSecond })
      const shown = [...startBlocks.keys()].flatMap((id) => progress.get(id) ?? [])
      screen.setLiveLines(formatProgress(shown, columns()))
    },
    close: () => {
      closed = true
      screen.setLiveLines([])
    },
  }
}

/**
 * The first block to index; 0 while a deployment's first block is unknown, so that the share covers the whole chain.
 */
function firstBlock(deployments: ChainConfig['deployments']): number {
  return Math.min(...deployments.map(({ startBlock }) => startBlock ?? 0))
}
