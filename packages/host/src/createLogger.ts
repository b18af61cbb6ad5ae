import { pino, type Logger } from 'pino'
import { AttestryError, describeError } from '@attestry/core/errors/baseError.ts'

/** The levels of the log, each with those before it. */
export const logLevels = ['error', 'warn', 'info'] as const
export type LogLevel = (typeof logLevels)[number]

export interface LoggerOptions {
  /** Writes one line, given without a line end. */
  readonly writeLine: (line: string) => void
  /** true: short lines for a person; false: one JSON object a line. */
  readonly human: boolean
  /** Without it, `debug` where `debug` is true, else `info`. */
  readonly level?: LogLevel | undefined
  /** Adds stacks of errors. */
  readonly debug: boolean
  /** Removes secrets from each line, as the last guard. */
  readonly redact?: (line: string) => string
}

export function createLogger(options: LoggerOptions): Logger {
  const { writeLine, human, debug, redact = (line) => line } = options
  return pino(
    {
      level: options.level ?? (debug ? 'debug' : 'info'),
      base: null,
      timestamp: () => `,"time":"${new Date().toISOString()}"`,
      formatters: { level: (label) => ({ level: label }) },
      serializers: { err: (error: unknown) => describeThrown(error, debug) },
    },
    {
      write: (text: string) => {
        const line = redact(text.trimEnd())
        writeLine(human ? formatLogLine(line) : line)
      },
    },
  )
}

/** A log for commands whose findings say what it would. */
export function silentLogger(): Logger {
  return createLogger({ writeLine: () => undefined, human: false, debug: false })
}

/**
 * Formats a line of the JSON log for a person: local time, level unless `info`, message, facts. A line that is no JSON
 * object is returned unchanged.
 */
export function formatLogLine(line: string): string {
  const record = parseRecord(line)
  if (record === null) return line
  const { level, time, msg, ...facts } = record
  const clock = typeof time === 'string' ? new Date(time).toTimeString().slice(0, 8) : ''
  const label = level === 'info' ? '' : `${String(level)}: `
  const pairs = Object.entries(facts).map(([key, value]) => `${key}=${formatFact(value)}`)
  return [`${clock} ${label}${typeof msg === 'string' ? msg : ''}`, ...pairs].join('  ')
}

/**
 * Replaces endpoint URLs by their hosts: the chain layer shows hosts only, but the error of a library may quote a URL.
 */
export function createUrlRedactor(urls: readonly string[]): (line: string) => string {
  const replacements = urls.flatMap((url) => {
    const { host, pathname, search } = new URL(url)
    const path = pathname + search
    const whole: [string, string][] = [[url, host]]
    // A short path such as `/rpc` holds no key, and replacing it would garble other text.
    return path.length >= secretPathLengthMin ? [...whole, [path, '/…'] satisfies [string, string]] : whole
  })
  return (line) => replacements.reduce((text, [secret, shown]) => text.replaceAll(secret, shown), line)
}

const secretPathLengthMin = 9

function describeThrown(error: unknown, debug: boolean): Record<string, unknown> {
  // The error of a line that a worker wrote is already in this form.
  if (!(error instanceof Error) && typeof error === 'object' && error !== null && 'message' in error) {
    return { ...error }
  }
  return {
    message: describeError(error),
    ...(error instanceof AttestryError ? { code: error.code } : {}),
    ...(debug && error instanceof Error ? { stack: error.stack } : {}),
  }
}

function parseRecord(line: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(line)
    return typeof value === 'object' && value !== null ? { ...value } : null
  } catch {
    return null
  }
}

function formatFact(value: unknown): string {
  return typeof value === 'string' && /^[^\s"=]+$/.test(value) ? value : JSON.stringify(value)
}
