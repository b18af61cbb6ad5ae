import type { Logger } from 'pino'
import type { SyncLog } from '../sync/indexedChain.ts'
import type { ChainConfig } from './config/resolveChains.ts'
import { createLogger, createUrlRedactor } from './createLogger.ts'
import { createProgressDisplay, type ProgressDisplay } from './createProgressDisplay.ts'
import { createScreen } from './createScreen.ts'

/** What a running service says, on standard output. */
export interface Output {
  readonly log: Logger
  readonly syncLog: SyncLog
  /** The live display of chains; one that shows nothing where standard output is no terminal. */
  openProgress(chains: readonly ChainConfig[]): ProgressDisplay
  /** Whether a person is reading: standard output is a terminal. */
  readonly human: boolean
  /** Writes a line as it is. */
  printLine(line: string): void
  /** Puts live lines below the log where a person is reading; see `Screen`. */
  showLive(lines: readonly string[]): void
}

export interface OutputStream {
  write(text: string): unknown
  readonly isTTY?: boolean
  readonly columns?: number
}

const columnsDefault = 80

/** `urls` are the endpoints that no line may hold whole. */
export function createOutput(
  stream: OutputStream,
  options: { readonly debug: boolean; readonly urls: readonly string[] },
): Output {
  const human = stream.isTTY === true
  const screen = createScreen(stream)
  const log = createLogger({
    writeLine: screen.printLine,
    human,
    debug: options.debug,
    redact: createUrlRedactor(options.urls),
  })
  return {
    log,
    human,
    printLine: screen.printLine,
    showLive: (lines) => {
      if (human) screen.setLiveLines(lines)
    },
    syncLog: (level, message, facts) => log[level](facts, message),
    openProgress: (chains) =>
      human
        ? createProgressDisplay(screen, chains, () => stream.columns ?? columnsDefault)
        : { update: () => undefined, close: () => undefined },
  }
}
