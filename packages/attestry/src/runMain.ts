import { report, type ExitCode } from './runCli.ts'
import { exitWhenWritten } from '@attestry/host/standardOutput.ts'
import { writeError } from '@attestry/host/writeFileWhole.ts'
import { startTracing } from '@attestry/tracing/startTracing.ts'

/** Runs the program of this process, and ends the process with its exit code once everything is written. */
export async function runMain(run: () => Promise<ExitCode>): Promise<void> {
  // A defect that nothing caught: one line and an exit code, as for any other failure.
  process.on('uncaughtException', (error) => void exitWhenWritten(report(error, process.env)))
  // `| head` closes the pipe: no failure, but `verify` has set an exit code that says that nothing was verified.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit(process.exitCode ?? 0)
    // Not by `exitWhenWritten`: each further write to standard output fails in the same way.
    process.exit(report(writeError('Standard output', error), process.env))
  })
  // Without a reader of standard error, only the exit code reports the failure.
  process.stderr.on('error', () => undefined)
  await startTracing()
  await exitWhenWritten(await run())
}
