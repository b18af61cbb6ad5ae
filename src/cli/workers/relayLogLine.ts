import type { Logger } from 'pino'

/** Writes a line of another process's log, as JSON, into the log of this one. */
export function relayLogLine(logger: Logger, line: string): void {
  // `createLogger` wrote it there.
  const { level, time: _time, msg, ...facts } = JSON.parse(line) as Record<string, unknown>
  const write = levels[String(level)] ?? 'info'
  logger[write](facts, typeof msg === 'string' ? msg : '')
}

const levels: Readonly<Record<string, 'debug' | 'info' | 'warn' | 'error'>> = {
  debug: 'debug',
  info: 'info',
  warn: 'warn',
  error: 'error',
  fatal: 'error',
}
