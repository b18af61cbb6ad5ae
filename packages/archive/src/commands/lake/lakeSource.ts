import {
  columnsOfAll,
  columnsOfEvents,
  columnsOfRevocations,
  columnsOfSchema,
  timeOrNull,
  type ParquetColumn,
  type ParquetRow,
} from '../../export/parquet/parquetColumns.ts'
import { createParquetFile } from '../../export/parquet/parquetPieces.ts'
import type { LakeRow, LakeSource } from '../../lake/readRange.ts'
import { checksumAddress } from '@attestry/core/model/checksumAddress.ts'
import { formatCompositeId, type LocalId, type RecordKey } from '@attestry/core/model/compositeId.ts'
import type { Address, Hex } from '@attestry/core/model/hex.ts'
import { createRecentMap } from '@attestry/core/model/recentMap.ts'
import type { DataLocation, ProtocolName, SchemaField } from '@attestry/core/model/records.ts'
import { decodeAttestedPayload } from '@attestry/core/protocols/decodeAttestedPayload.ts'
import type { HistoryReads } from '@attestry/core/index/chainHistory.ts'
import type { IndexReader } from '@attestry/core/index/indexReader.ts'
import type { StoredSchema } from '@attestry/core/index/storedRecords.ts'
import { fieldsOf, groupBounds } from '../parquet/runParquetExport.ts'

/** A table of the lake, before it is opened. */
export interface LakeTableShape {
  readonly name: string
  readonly columns: readonly ParquetColumn[]
  readonly timeColumn: string
}

/** The tables of a lake, with one for each of the schemas, which bears the id of the schema. */
export function lakeTables(schemas: readonly StoredSchema[]): readonly LakeTableShape[] {
  const typed = schemas.map((schema) => ({
    name: formatCompositeId(schema.key),
    columns: columnsOfEvents(columnsOfSchema(fieldsOf(schema))),
    timeColumn: 'attested_at',
  }))
  return [
    { name: 'attestations', columns: columnsOfEvents(columnsOfAll()), timeColumn: 'attested_at' },
    { name: 'revocations', columns: columnsOfRevocations(), timeColumn: 'revoked_at' },
    ...typed,
  ]
}

/** The members of the line of an event that are read here; `readHistory` made the line. */
interface EventLine {
  readonly type: 'attestation' | 'revocation'
  readonly chainId: string
  readonly protocol: ProtocolName
  readonly attestationId: LocalId
  readonly schemaId: LocalId
  readonly portal: Address | null
  readonly revoked?: boolean
  readonly revokeTimestamp: string | null
  readonly attestTimestamp: string
  readonly data: Hex
  readonly dataLocation: DataLocation
}

/** Schemas whose fields are remembered. */
const schemasMax = 10_000

/** Makes rows of events. `program` is the version of this program. */
export function createLakeSource(
  reader: Pick<IndexReader, 'findSchema'> & HistoryReads,
  schemas: readonly StoredSchema[],
  program: string,
): LakeSource<ParquetRow> {
  const known = createRecentMap<string, readonly SchemaField[]>(schemasMax)
  const typed = new Set(schemas.map(({ key }) => schemaName(key)))

  async function findFields(key: RecordKey): Promise<readonly SchemaField[]> {
    const name = schemaName(key)
    const found = known.get(name)
    if (found !== undefined) return found
    const schema = await reader.findSchema(key)
    if (schema === null) return []
    const fields = fieldsOf(schema)
    known.set(name, fields)
    return fields
  }

  return {
    reader,
    rowsOf: async (line) => {
      if (!/^\{"type":"(attestation|revocation)"/.test(line)) return []
      // The store made the line.
      const event = JSON.parse(line) as EventLine
      const chainId = Number(event.chainId)
      const { protocol, attestationId, schemaId, portal, data, dataLocation } = event
      const id = formatCompositeId({ chainId, localId: attestationId })
      const length = 2 * line.length
      const rowsOfTables = (tables: readonly string[], row: ParquetRow): LakeRow<ParquetRow>[] =>
        tables.map((table) => ({ table, row, length }))
      if (event.type === 'revocation') {
        return rowsOfTables(['revocations'], { change: 'new', record: { ...event, id }, payload: null })
      }
      const schema = { chainId, localId: schemaId, protocol }
      const fields = await findFields(schema)
      const payload = decodeAttestedPayload({ protocol, fields, data, dataLocation })
      const record = { ...event, portal: portal === null ? null : checksumAddress(portal) }
      const tables = ['attestations']
      if (typed.has(schemaName(schema))) tables.push(formatCompositeId(schema))
      // It was revoked when it was made; no event says so.
      if (event.revoked === true) tables.push('revocations')
      return rowsOfTables(tables, { change: 'new', record, payload })
    },
    format: {
      createFile: (columns) =>
        createParquetFile({
          columns,
          metadata: {},
          author: `attestry ${program}`,
          group: groupBounds,
          codec: 'ZSTD',
        }),
      timeOf: ({ record }, column) =>
        timeOrNull(record[column === 'revoked_at' ? 'revokeTimestamp' : 'attestTimestamp']),
    },
  }
}

function schemaName({ protocol, chainId, localId }: RecordKey): string {
  return `${protocol} ${chainId} ${localId}`
}
