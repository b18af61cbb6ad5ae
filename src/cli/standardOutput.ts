/**
 * Writes to standard output; resolves when the pipe has taken the text, so that a caller that awaits each write keeps
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

/**
 * Exits when both output pipes have taken all text: `process.exit` alone drops text that a slow reader has not taken.
 */
export async function exitWhenWritten(code: number): Promise<void> {
  const streams = [process.stdout, process.stderr]
  await Promise.all(
    streams.map((stream) => new Promise<void>((resolve) => stream.write('', () => resolve()))),
  )
  process.exit(code)
}
