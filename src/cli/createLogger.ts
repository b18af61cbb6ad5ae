import { pino, type Logger } from 'pino'
import { AttestryError, describeError } from '../errors/baseError.ts'

export interface LoggerOptions {
  /** Takes one line without its end. */
  readonly writeLine: (line: string) => void
  /** Short lines for a person; JSON, one object a line, otherwise. */
  readonly human: boolean
  /** Also what is only of use to a developer: debug lines, stacks of errors. */
  readonly debug: boolean
  /** Last guard against secrets: is handed each line, and gives it back without them. */
  readonly redact?: (line: string) => string
}

export function createLogger({ writeLine, human, debug, redact = (line) => line }: LoggerOptions): Logger {
  return pino(
    {
      level: debug ? 'debug' : 'info',
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

/**
 * A line of the JSON log as a person reads it: local time, level where it is more than information, message, facts.
 * A line that is none is given back as it is.
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
 * Takes endpoint URLs out of lines: the chain layer shows hosts alone, and this keeps it so should a library's own error
 * ever quote a URL.
 */
export function createUrlRedactor(urls: readonly string[]): (line: string) => string {
  const replacements = urls.flatMap((url) => {
    const { host, pathname, search } = new URL(url)
    const path = pathname + search
    const whole: [string, string][] = [[url, host]]
    // A short path (`/rpc`) holds no key, and taking it out would garble other text.
    return path.length >= secretPathLengthMin ? [...whole, [path, '/…'] satisfies [string, string]] : whole
  })
  return (line) => replacements.reduce((text, [secret, shown]) => text.replaceAll(secret, shown), line)
}

const secretPathLengthMin = 9

function describeThrown(error: unknown, debug: boolean): Record<string, unknown> {
  // A line that another process has written says already what was thrown.
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
