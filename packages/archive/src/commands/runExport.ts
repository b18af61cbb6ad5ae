import type { DatabaseConfig } from '@attestry/host/config/resolveDatabase.ts'
import { openExisting } from '@attestry/host/openDatabase.ts'
import { withLineEnds, writePieces } from '@attestry/host/writePieces.ts'
import { closing } from '@attestry/host/closing.ts'

export interface ExportCommand {
  /** The file to write; null for standard output. */
  readonly file: string | null
  /** The version of this program, for the header. */
  readonly program: string
  /**
   * Leaves out all that depends on when the chain was read: two indexes of the same blocks then export the same bytes.
   */
  readonly comparable: boolean
}

/**
 * Writes the whole index as NDJSON, as fast as the reader takes it. A file appears under its name only when it is
 * complete.
 * @throws StartError when there is no database, or the file cannot be written.
 */
export async function runExport(
  database: DatabaseConfig,
  { file, program, comparable }: ExportCommand,
): Promise<void> {
  await using reader = closing((await openExisting(database)).openReader())
  const pieces = withLineEnds(reader.exportLines(comparable ? { times: false } : { program }))
  await writePieces(file, pieces)
}
