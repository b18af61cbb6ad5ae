import { parseFields } from '@attestry/core/model/recordJson.ts'
import { Type } from 'typebox'
import { decodeStoredPayload } from '@attestry/core/model/decodeStoredPayload.ts'
import type { PayloadValue } from '@attestry/core/model/decodedPayload.ts'
import type { SchemaField } from '@attestry/core/model/records.ts'
import type { StoredAttestation } from '@attestry/core/index/storedRecords.ts'
import {
  attestationFilterOf,
  attestationFilterParameters,
  askedByListing,
} from '@attestry/server/pipeline/parameters/attestationFilterParameters.ts'
import { refusedKeywordParameter } from '@attestry/server/pipeline/parameters/listingParameters.ts'
import type { ParameterValues } from '@attestry/server/pipeline/parameters/parameter.ts'
import { contentMembers, findContent, pointersOf } from '@attestry/server/records/presentContent.ts'
import type { ShownContent } from '@attestry/core/model/knownContent.ts'
import { writeJson } from '@attestry/server/pipeline/answers/writeJson.ts'
import { createIncludeParameter } from '@attestry/server/pipeline/parameters/includeParameter.ts'
import { presentPayload } from '@attestry/server/records/presentDecodedData.ts'
import type { ExportedFile, ExportSources } from './exportedFile.ts'
import { attestationColumns, cellsOf, describeColumns, exportedAttestation } from './exportedRows.ts'
import { csvPieces, exportPieces, type ExportSource } from './exportPieces.ts'
import { attestationRows } from './parquet/attestationRows.ts'
import { columnsOfAll, columnsOfSchema, contentColumns } from './parquet/parquetColumns.ts'
import { decodeErrorOf, payloadColumns, plainPayload, plainValue } from './payloadColumns.ts'

const parameters = {
  ...attestationFilterParameters,
  keyword: refusedKeywordParameter,
  include: createIncludeParameter({
    decoded:
      'each row carries its payload, decoded. As CSV with `schemaId`, each field of the schema is a column. Parquet always has the fields.',
    content: 'each row carries the content behind its pointer, with its state.',
  }),
} as const

type Values = ParameterValues<typeof parameters>
type AttestationFile = ExportedFile<typeof parameters, ExportedAttestation>
type Slice = ExportSource<ExportedAttestation>['slice']

/** A group is written without a pause: so many rows take 35 ms. A file of groups of 20,000 rows is 12 % smaller. */
const parquetGroup = { rowsMax: 1_000, lengthMax: 2 * 1024 * 1024 }

/** The files of attestations. */
export function attestationExports({
  reader,
  checkFields,
  decodePayload,
  content,
  now,
}: ExportSources): readonly AttestationFile[] {
  const source = async (values: Values): Promise<Slice | null> => {
    const filter = await checkFields(attestationFilterOf(values, now))
    if (filter === null) return null
    return async (after, limit) => {
      // This read is at least as new as any answer before.
      await reader.indexVersion()
      const fields = { detail: true, schema: true }
      const request = { filter, order: 'oldestFirst', after } as const
      if (!values.include.has('content')) return await reader.sliceAttestations({ ...request, limit }, fields)
      const bounded = { ...request, limit: Math.min(limit, rowsWithContentMax) }
      const slice = await reader.sliceAttestations(bounded, fields)
      const contents = await findContent(pointersOf(slice.rows, decodePayload), content)
      return { ...slice, rows: slice.rows.map((row, index) => ({ ...row, content: contents[index] })) }
    }
  }
  /** The fields of the schema that a request names; null without one, and where it is not indexed. */
  const findFields = async (values: Values): Promise<readonly SchemaField[] | null> => {
    const key = attestationFilterOf(values, now)?.schema ?? null
    const schema = key === null ? null : await reader.findSchema(key)
    // The store made the text of these members.
    return schema === null ? null : parseFields(schema.payloadFieldsJson)
  }
  const attestationCells = (row: ExportedAttestation) => [
    ...cellsOf(exportedAttestation(row), attestationColumns),
    ...(row.content === undefined ? [] : [row.content?.state, row.content?.json]),
  ]

  const about = (values: Values) => ({ asOf: null, ...askedByListing(values) })
  const shared = { name: 'attestations', parameters, source, about }
  const ndjson: AttestationFile = {
    ...shared,
    form: 'ndjson',
    description: describeColumns(attestationColumns, true),
    open: (slice, { include }) => {
      const formatRow = (row: ExportedAttestation) => {
        const line = {
          ...exportedAttestation(row),
          ...(include.has('decoded') ? presentPayload(row, decodePayload) : {}),
          ...(row.content === undefined ? {} : contentMembers(row.content)),
        }
        return `${writeJson(line)}\n`
      }
      return Promise.resolve(exportPieces({ slice, formatRow }))
    },
  }
  const csv: AttestationFile = {
    ...shared,
    form: 'csv',
    description: describeColumns(attestationColumns, false),
    open: async (slice, values) => {
      const shown = [
        ...attestationColumns,
        ...(values.include.has('content') ? ['contentState', 'content'] : []),
      ]
      if (!values.include.has('decoded')) return csvPieces(slice, shown, attestationCells)
      const fields = await findFields(values)
      const columns = fields === null ? null : payloadColumns(fields, [...shown, decodeErrorColumn])
      const names = columns === null ? ['decodedData'] : columns.map(({ name }) => name)
      return csvPieces(slice, [...shown, decodeErrorColumn, ...names], (row) => {
        const payload = decodeStoredPayload(row, decodePayload)
        return [
          ...attestationCells(row),
          decodeErrorOf(payload),
          ...(columns?.map(({ type, valueOf }) => csvValue(type, valueOf(payload))) ?? [
            plainPayload(payload),
          ]),
        ]
      })
    },
  }
  const parquet: AttestationFile = {
    ...shared,
    form: 'parquet',
    description: { schema: Type.String({ format: 'binary' }), example: 'PAR1…PAR1' },
    open: async (slice, values) => {
      const fields = await findFields(values)
      // Loaded when it is first asked for: the start of the server does not need it.
      const { parquetPieces } = await import('./parquet/parquetPieces.ts')
      return parquetPieces(attestationRows(slice, decodePayload), {
        columns: [
          ...(fields === null ? columnsOfAll() : columnsOfSchema(fields)),
          ...(values.include.has('content') ? contentColumns : []),
        ],
        metadata: {},
        author: 'attestry',
        group: parquetGroup,
      })
    },
  }
  return [ndjson, csv, parquet]
}

/** An attestation, with its content where `include` asks for it; null: it names none. */
type ExportedAttestation = StoredAttestation & { readonly content?: ShownContent | null | undefined }

/** Rows whose contents are in memory at once: each may have as many bytes as the operator allows. */
const rowsWithContentMax = 50

const decodeErrorColumn = 'decodedDataError'

/** Integers are numbers, of any length, so that a negative one is not taken for a formula. */
function csvValue(type: string, value: PayloadValue | null): unknown {
  if (value === null) return null
  if (typeof value === 'string' && /^u?int[0-9]*$/.test(type) && /^-?[0-9]+$/.test(value))
    return BigInt(value)
  return plainValue(value)
}
