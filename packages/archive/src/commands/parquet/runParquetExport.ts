import { parseFields } from '@attestry/core/model/recordJson.ts'
import { open } from 'node:fs/promises'
import { attestationRows, parquetRow } from '../../export/parquet/attestationRows.ts'
import { columnsOfAll, columnsOfSchema } from '../../export/parquet/parquetColumns.ts'
import { parquetPieces, type SizedRow } from '../../export/parquet/parquetPieces.ts'
import { formatPlace, parsePlace } from '@attestry/server/interfaces/events/formatEvent.ts'
import { ConfigError, StartError } from '@attestry/core/errors/configErrors.ts'
import { formatCompositeId, parseCompositeId, type RecordKey } from '@attestry/core/model/compositeId.ts'
import type { SchemaField } from '@attestry/core/model/records.ts'
import { decodeAttestedPayload } from '@attestry/core/protocols/decodeAttestedPayload.ts'
import { type ChangePlace, everyAttestation } from '@attestry/core/index/indexQueries.ts'
import type { StoredSchema } from '@attestry/core/index/storedRecords.ts'
import type { Database } from '@attestry/host/database.ts'
import type { DatabaseConfig } from '@attestry/host/config/resolveDatabase.ts'
import { quoteText } from '@attestry/host/config/describeValue.ts'
import { openExisting } from '@attestry/host/openDatabase.ts'
import { writeFileWhole } from '@attestry/host/writeFileWhole.ts'
import { listChangedIds } from './listChangedIds.ts'
import { closing } from '@attestry/host/closing.ts'

export interface ParquetExport {
  readonly file: string
  /** The version of this program. */
  readonly program: string
  /** Composite id; undefined for attestations under every schema. */
  readonly schema: string | undefined
  /** Of the schema, whose id several protocols may have. */
  readonly protocol?: string | undefined
  /** The cursor of an earlier export; undefined for everything. */
  readonly since: string | undefined
}

type Reader = ReturnType<Database['openReader']>

const wholeRecord = { detail: true, schema: true }
export const groupBounds = { rowsMax: 20_000, lengthMax: 32 * 1024 * 1024 }
/** Records that the store reads at once. */
const keysMax = 100

/**
 * Writes attestations as a Parquet file, which appears under its name only when it is complete. Returns a line that
 * tells the number of rows and the cursor of the export.
 * @throws ConfigError for a malformed id or cursor; StartError for a schema that is not indexed, or a cursor that the
 * journal no longer reaches.
 */
export async function runParquetExport(
  config: DatabaseConfig,
  { file, program, schema, protocol, since }: ParquetExport,
): Promise<string> {
  const asked = schema === undefined ? null : { ...readSchemaId(schema), protocol: protocol ?? null }
  const after = since === undefined ? null : readCursor(since)
  await using reader = closing((await openExisting(config)).openReader())
  const found = asked && (await findSchema(reader, asked))
  const key = found && found.key
  const columns = found === null ? columnsOfAll() : columnsOfSchema(fieldsOf(found))
  // Taken first: changes during the export are in the next export too.
  const cursor = formatPlace(await reader.newestChange())
  const rows = after === null ? listRows(reader, key) : listChangedRows(reader, key, after)
  let count = 0
  const counted = async function* () {
    for await (const row of rows) {
      count++
      yield row
    }
  }
  await writeFileWhole(file, async (partial) => {
    await using handle = await open(partial, 'w')
    const metadata = { 'attestry.cursor': cursor }
    const author = `attestry ${program}`
    for await (const piece of parquetPieces(counted(), { columns, author, metadata, group: groupBounds })) {
      await handle.writeFile(piece)
    }
  })
  return `${count} rows; --since ${cursor} exports what changes from here on`
}

function listRows(reader: Reader, schema: RecordKey | null): AsyncIterable<SizedRow> {
  const filter = { ...everyAttestation, schema }
  return attestationRows(
    (after, limit) => reader.sliceAttestations({ filter, order: 'oldestFirst', after, limit }, wholeRecord),
    decodeAttestedPayload,
  )
}

/** Each attestation that has changed since a place, as it is now. */
async function* listChangedRows(
  reader: Reader,
  schema: RecordKey | null,
  after: ChangePlace,
): AsyncGenerator<SizedRow> {
  const changed = await listChangedIds(reader, after, schema)
  for (let start = 0; start < changed.length; start += keysMax) {
    const slice = changed.slice(start, start + keysMax)
    const found = await reader.findAttestations(
      slice.map(({ key }) => key),
      wholeRecord,
    )
    for (const [index, { key, isNew }] of slice.entries()) {
      const id = formatCompositeId(key)
      const attestation = found[index] ?? null
      yield attestation === null
        ? { row: { change: 'taken back', record: { id }, payload: null }, length: id.length }
        : parquetRow(attestation, isNew ? 'new' : 'changed', decodeAttestedPayload)
    }
  }
}

async function findSchema(reader: Reader, key: RecordKey): Promise<StoredSchema> {
  const schema = await reader.findSchema(key)
  if (schema === null) throw new StartError('The schema of --schema is not indexed here')
  return schema
}

export function fieldsOf({ payloadFieldsJson }: StoredSchema): readonly SchemaField[] {
  return parseFields(payloadFieldsJson)
}

export function readSchemaId(text: string): RecordKey {
  const parsed = parseCompositeId(text)
  if (parsed.kind === 'record') return parsed.key
  throw new ConfigError(
    `The option --schema must be the id of a schema, such as onchain_evm_11155111_0x1a, but is ${quoteText(text)}`,
  )
}

function readCursor(text: string): ChangePlace {
  const place = parsePlace(text)
  if (place !== null) return place
  throw new ConfigError(
    `The option --since must be the cursor that an earlier export printed, such as 42-0, but is ${quoteText(text)}`,
  )
}
