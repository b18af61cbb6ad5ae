import { ConfigError } from '@attestry/core/errors/configErrors.ts'
import { collectEarly } from '@attestry/host/collectEarly.ts'
import { choiceOption, withConfig, withHelp, type ConfigFlag } from '@attestry/host/commandLine.ts'
import type { NoKeys } from '@attestry/host/config/configPart.ts'
import { flag } from '@attestry/host/config/schemaKeys.ts'
import { createScreen } from '@attestry/host/createScreen.ts'
import { untilStopped } from '@attestry/host/listenForStop.ts'
import { readVersion } from '@attestry/host/readVersion.ts'
import { writeLines } from '@attestry/host/standardOutput.ts'
import type { Wing } from '@attestry/server/wing.ts'
import type { ParquetExport } from '../commands/parquet/runParquetExport.ts'
import type { CopyFlags } from '../commands/runCopy.ts'

const serverKeys = {
  export: flag(true, 'Whether whole lists are served under /scan/export.', false),
}

/** Whole lists and whole indexes as files. */
export const exportWing: Wing<boolean, NoKeys, typeof serverKeys> = {
  name: 'export',
  serverKeys,
  partPaths: { export: ['/scan/export'] },
  resolve: ({ file }) => file.server?.export ?? true,
  serve: async (_host, isServed) => (isServed ? (await import('./serveExports.ts')).serveExports() : {}),
  commands: ({ add, loadForReading, environment, projections }) => {
    withHelp(
      withConfig(add('export', 'write the whole index as NDJSON, one record a line')),
      'attestry export --output index.ndjson',
    )
      .option('-o, --output <file>', 'write to a file instead of standard output')
      .option(
        '--comparable',
        'leave out what depends on when the chain was read; such an export cannot be imported',
      )
      .addOption(
        choiceOption('--format <format>', 'ndjson: the whole index; parquet: attestations', [
          'ndjson',
          'parquet',
        ]),
      )
      .option('--schema <id>', 'parquet: only attestations under this schema, with a column for each field')
      .option('--protocol <name>', 'parquet: the protocol of that schema, where several have the id')
      .option('--since <cursor>', 'parquet: only what is new, changed or taken back since an earlier export')
      .action(async (flags: ExportFlags) => {
        const { database } = loadForReading(flags)
        collectEarly()
        if (flags.format === 'parquet') {
          const { runParquetExport } = await import('../commands/parquet/runParquetExport.ts')
          await writeLines([await runParquetExport(database, parquetFlags(flags))])
          return
        }
        const misused = ['schema', 'protocol', 'since'].find((name) => name in flags)
        if (misused !== undefined) throw new ConfigError(`The option --${misused} needs --format parquet`)
        const { runExport } = await import('../commands/runExport.ts')
        await runExport(database, {
          file: flags.output ?? null,
          program: readVersion(),
          comparable: flags.comparable === true,
        })
      })
    withHelp(
      withConfig(add('import', 'read an export into a new database')),
      'attestry import --input index.ndjson',
    )
      .option('-i, --input <file>', 'read a file instead of standard input')
      .action(async (flags: ConfigFlag & { readonly input?: string }) => {
        const { runImport } = await import('../commands/runImport.ts')
        collectEarly()
        await writeLines([await runImport(loadForReading(flags), flags.input ?? null, process.stdin)])
      })
    withHelp(
      add('copy', 'copy an index into a new database, SQLite or PostgreSQL'),
      "attestry copy --from sqlite:./data/attestry.db --to '${POSTGRES_URL}'",
      copyHelp,
    )
      .requiredOption('--from <url>', 'the database to read: a path, sqlite:PATH or postgres://…')
      .requiredOption('--to <url>', 'the database to fill: new, or without a chain')
      .action(async (flags: CopyFlags) => {
        const { runCopy } = await import('../commands/runCopy.ts')
        collectEarly()
        const screen = process.stderr.isTTY ? createScreen(process.stderr) : null
        const onProgress = (events: number) => screen?.setLiveLines([`${events.toLocaleString('en')} events`])
        const program = readVersion()
        await untilStopped(async (signal) => {
          await writeLines([await runCopy(flags, { environment, projections, program, onProgress, signal })])
        })
      })
  },
}

interface ExportFlags extends ConfigFlag {
  readonly output?: string
  readonly comparable?: boolean
  readonly format?: string
  readonly schema?: string
  readonly protocol?: string
  readonly since?: string
}

function parquetFlags({ output, comparable, schema, protocol, since }: ExportFlags): ParquetExport {
  if (output === undefined) throw new ConfigError('--format parquet writes a file; name it with --output')
  if (comparable === true) throw new ConfigError('The option --comparable is for --format ndjson')
  if (protocol !== undefined && schema === undefined) {
    throw new ConfigError('The option --protocol needs --schema, the id that several protocols may have')
  }
  return { file: output, program: readVersion(), schema, protocol, since }
}

const copyHelp =
  '${NAME} is replaced by an environment variable, so that the list of processes shows no password. A copy that fails or\n' +
  'is stopped leaves the target empty. Exit codes: 0 copied, 1 failed or stopped, 2 misconfigured.'
