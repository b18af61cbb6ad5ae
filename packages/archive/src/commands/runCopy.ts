import { ConfigError, StartError } from '@attestry/core/errors/configErrors.ts'
import { restoreIndex } from '@attestry/store/transfer/restoreIndex.ts'
import { fieldsDefault } from '@attestry/host/fieldSetting.ts'
import { interpolateVariables, type Environment } from '@attestry/host/config/interpolateVariables.ts'
import {
  formatDatabaseMistake,
  resolveDatabase,
  type DatabaseConfig,
} from '@attestry/host/config/resolveDatabase.ts'
import { openDatabase, openExisting } from '@attestry/host/openDatabase.ts'
import { closing } from '@attestry/host/closing.ts'

/** Options of `attestry copy`, not yet checked. */
export interface CopyFlags {
  readonly from: string
  readonly to: string
}

export interface CopyOptions {
  readonly environment: Environment
  /** `CommandLine.projections` */
  readonly projections: readonly string[]
  /** The version of this program. */
  readonly program: string
  /** Receives the number of events written so far, now and then. */
  readonly onProgress: (events: number) => void
  readonly signal: AbortSignal
}

/**
 * Copies an index into a database that is new or holds no chain; both may be SQLite or PostgreSQL. The lines of the
 * export are written as they are read, so that memory stays bounded. The copy becomes visible only after its own export
 * equals that of the source. Returns one sentence about the result.
 * @throws ConfigError for a URL that cannot be used; StartError when there is no source, another process writes to the
 * target, or
 *   `signal` aborts.
 * @throws StoreNotEmptyError
 */
export async function runCopy(flags: CopyFlags, options: CopyOptions): Promise<string> {
  const { environment, projections, program, onProgress, signal } = options
  const from = readDatabase('--from', flags.from, environment)
  const to = readDatabase('--to', flags.to, environment)
  const source = await openExisting(from)
  const target = await openDatabase({ ...to, projections })
  using _ = target.lock()
  await using reader = closing(source.openReader())
  const restore = target.openRestore(fieldsDefault)
  const { chains, schemas, attestations } = await restoreIndex(
    untilStopped(reader.exportLines({ program }), signal),
    { ...restore, exportLines: (format) => untilStopped(restore.exportLines(format), signal) },
    { onProgress },
  )
  return `Copied ${chains} chains with ${schemas} schemas and ${attestations} attestations from ${source.place} to ${target.place}`
}

/** Every user of the machine sees the command line, so that passwords come from environment variables: `${NAME}`. */
function readDatabase(option: string, text: string, environment: Environment): DatabaseConfig {
  const { value, mistakes } = interpolateVariables(text, environment, () => false)
  const mistake = mistakes[0]
  if (mistake !== undefined) throw new ConfigError(`The option ${option} ${mistake.text}`)
  const resolved = resolveDatabase(String(value))
  if ('expected' in resolved) {
    throw new ConfigError(
      `The option ${option} ${formatDatabaseMistake(resolved, 'a value that is not shown')}`,
    )
  }
  return resolved
}

async function* untilStopped(lines: AsyncIterable<string>, signal: AbortSignal): AsyncGenerator<string> {
  for await (const line of lines) {
    if (signal.aborted) throw new StartError('The copy was stopped, and nothing of it was kept')
    yield line
  }
}
