/**
 * Writes to standard output; resolves when the stream has taken the text, so that a caller that waits holds no more than one text
 * for a slow reader. Where writing fails, the promise never settles: the stream's `error` listener in `main.ts` ends the process.
 */
export function writeOutput(text: string): Promise<void> {
  return new Promise((resolve) => {
    process.stdout.write(text, (error) => {
      if (!error) resolve()
    })
  })
}

/**
 * Ends the process when standard output and standard error have taken all that was written to them. `process.exit` alone drops what
 * a reader of a pipe has not taken yet.
 */
export async function exitWhenWritten(code: number): Promise<void> {
  const streams = [process.stdout, process.stderr]
  await Promise.all(
    streams.map((stream) => new Promise<void>((resolve) => stream.write('', () => resolve()))),
  )
  process.exit(code)
}
