import { withConfig, withHelp, type ConfigFlag } from '@attestry/host/commandLine.ts'
import { untilStopped } from '@attestry/host/listenForStop.ts'
import { readVersion } from '@attestry/host/readVersion.ts'
import { writeLines } from '@attestry/host/standardOutput.ts'
import type { Wing } from '@attestry/server/wing.ts'
import type { LakeFlags } from '../commands/lake/runLake.ts'

/** Tables of Apache Iceberg. */
export const lakeWing: Wing = {
  name: 'lake',
  commands: ({ add, loadForReading, environment }) => {
    withHelp(
      withConfig(add('lake', 'keep tables of Apache Iceberg current, for DuckDB, Spark, Trino, ClickHouse')),
      'attestry lake --to s3://bucket/lake --once',
      lakeHelp,
    )
      .requiredOption('--to <place>', 'a folder, or s3://BUCKET/PREFIX')
      .option('--schema <id...>', 'schemas that get a table of their own, with a column for each field')
      .option('--once', 'bring the tables up to now, and end')
      .action(async (flags: ConfigFlag & LakeFlags) => {
        const { runLake } = await import('../commands/lake/runLake.ts')
        const config = loadForReading(flags)
        const printLine = (line: string) => void writeLines([line])
        await untilStopped((signal) =>
          runLake(config, flags, { environment, program: readVersion(), printLine, signal }),
        )
      })
  },
}

const lakeHelp =
  'Writes final blocks alone, beside a running index; docs/lake.md describes the tables. A bucket takes the variables of\n' +
  'attestry publish. Exit codes: 0 asked to stop, or done, 1 failed, or a chain is not in the lake, 2 misconfigured.'
