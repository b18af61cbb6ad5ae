import { findProtocol } from '@attestry/core/protocols/registry.ts'
import { readTextLines } from '@attestry/store/transfer/readTextLines.ts'
import { restoreIndex } from '@attestry/store/transfer/restoreIndex.ts'
import type { Config } from '@attestry/host/config/loadConfig.ts'
import { openDatabase } from '@attestry/host/openDatabase.ts'
import { readPieces } from '@attestry/host/readPieces.ts'

/**
 * Imports an export from a file, or from `stdin` where `file` is null, into a database that is new or holds no chain.
 * Returns one sentence about the result. After an error the database is unchanged.
 * @throws StartError when the file cannot be read, or another process indexes into the database.
 * @throws ExportDamagedError, StoreNotEmptyError
 */
export async function runImport(
  { database: config, fields }: Pick<Config, 'database' | 'fields'>,
  file: string | null,
  stdin: AsyncIterable<Uint8Array>,
): Promise<string> {
  const pieces = file === null ? stdin : readPieces(file)
  const database = await openDatabase(config)
  using _ = database.lock()
  const restore = database.openRestore(fields)
  const { chains, schemas, attestations, bornRevoked } = await restoreIndex(readTextLines(pieces), restore, {
    mayBeBornRevoked: (protocol) => findProtocol(protocol)?.mayBeBornRevoked ?? false,
  })
  const unproven =
    bornRevoked === 0
      ? ''
      : `; ${bornRevoked} of them are revoked without an event, which only the contract can prove: run attestry verify`
  return `Imported ${chains} chains with ${schemas} schemas and ${attestations} attestations into ${database.place}${unproven}`
}
