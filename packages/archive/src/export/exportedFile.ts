import type { ContentReads } from '@attestry/core/model/contentReads.ts'
import type { DecodePayload } from '@attestry/core/model/decodedPayload.ts'
import type { UnixMilliseconds } from '@attestry/core/model/time.ts'
import type { IndexReader } from '@attestry/core/index/indexReader.ts'
import type { Question } from '@attestry/server/pipeline/asOf/openView.ts'
import type { BodyDescription } from '@attestry/server/pipeline/endpoint.ts'
import type { CheckFields } from '@attestry/server/pipeline/parameters/checkFields.ts'
import type { ParameterSet, ParameterValues } from '@attestry/server/pipeline/parameters/parameter.ts'
import type { ExportSource } from './exportPieces.ts'
import type { ExportPiece } from './sendExport.ts'

/** The reads that exported files are made of. */
export interface ExportSources {
  readonly reader: IndexReader
  readonly checkFields: CheckFields
  readonly decodePayload: DecodePayload
  /** Null where no content is fetched. */
  readonly content: Pick<ContentReads, 'find'> | null
  readonly now: () => UnixMilliseconds
}

export const fileForms = {
  ndjson: { title: 'NDJSON', mediaType: 'application/x-ndjson', suffix: '; charset=utf-8' },
  csv: { title: 'CSV', mediaType: 'text/csv', suffix: '; charset=utf-8; header=present' },
  parquet: { title: 'Parquet', mediaType: 'application/vnd.apache.parquet', suffix: '' },
} as const

/** One file that can be exported. */
export interface ExportedFile<Set extends ParameterSet, Row> {
  /** The plural noun of its records. */
  readonly name: string
  readonly form: keyof typeof fileForms
  readonly parameters: Set
  /** The schema and an example of the file, for the OpenAPI document. */
  readonly description: Pick<BodyDescription, 'schema' | 'example'>
  /**
   * The rows that pass; null if none can.
   * @throws BadParameterError
   */
  readonly source: (values: ParameterValues<Set>) => Promise<ExportSource<Row>['slice'] | null>
  /** The chains of the rows, which the headers name while they are behind. */
  readonly about: (values: ParameterValues<Set>) => Question
  /** The file of the rows. */
  readonly open: (
    slice: ExportSource<Row>['slice'],
    values: ParameterValues<Set>,
  ) => Promise<AsyncGenerator<ExportPiece>>
}
