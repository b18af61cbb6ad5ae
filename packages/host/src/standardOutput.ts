import { visibleText } from './visibleText.ts'

/** The findings of a command, in lines. `failure`: the error that it ends with; null on success. */
export interface CommandReport {
  readonly lines: readonly string[]
  readonly failure: Error | null
}

/** Writes a line to the reader, and resolves when the reader can take the next one. */
export type WriteLine = (line: string) => Promise<void>

/**
 * Writes data to standard output, unchanged; resolves when the pipe has taken the text, so that a caller that awaits each write keeps
 * one text in memory. After a failed write the promise never settles: the `error` listener in `main.ts` ends the
 * process.
 */
export function writeOutput(text: string | Uint8Array): Promise<void> {
  return new Promise((resolve) => {
    process.stdout.write(text, (error) => {
      if (!error) resolve()
    })
  })
}

/** Writes each of the lines with a line end. Control characters in them are made visible. */
export function writeLines(lines: readonly string[]): Promise<void> {
  return writeOutput(lines.map((line) => `${visibleText(line)}\n`).join(''))
}

/** @throws the failure of the report, once its lines are written. */
export async function writeReport({ lines, failure }: CommandReport): Promise<void> {
  await writeLines(lines)
  if (failure !== null) throw failure
}

/**
 * Exits when both output pipes have taken all text: a bare `process.exit` drops text that a slow reader has not taken.
 */
export async function exitWhenWritten(code: number): Promise<void> {
  const streams = [process.stdout, process.stderr]
  await Promise.all(
    streams.map((stream) => new Promise<void>((resolve) => stream.write('', () => resolve()))),
  )
  process.exit(code)
}
