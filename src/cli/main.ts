#!/usr/bin/env node
import { report, runCli } from './runCli.ts'

// A defect that nothing caught: one line and an exit code, as for everything else.
process.on('uncaughtException', (error) => process.exit(report(error, process.env)))
// A reader of standard output that has gone away is no failure of this program, but what was to be found out is not found out.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(process.exitCode ?? 0)
  throw error
})

process.exit(await runCli(process.argv.slice(2), process.env))
