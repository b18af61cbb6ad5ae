import type { ChainId } from '@attestry/core/model/compositeId.ts'
import { avroFile, optional, required, type AvroRecord } from './avroFile.ts'
import type { IcebergField } from './icebergColumns.ts'

/** Manifests and lists of them, version 2 of https://iceberg.apache.org/spec/#manifests. */

/** A Parquet file of a table: rows of one chain and one month. */
export interface DataFile {
  /** Relative to the table. */
  readonly path: string
  readonly rows: number
  readonly bytes: number
  readonly chainId: ChainId
  /** Months since January 1970; null for rows without a time. */
  readonly month: number | null
}

/** A manifest as the metadata of the table remembers it. */
export interface Manifest {
  /** Relative to the table. */
  readonly path: string
  readonly bytes: number
  readonly files: number
  readonly rows: number
  /** Of the snapshot that added the files. */
  readonly snapshotId: number
  readonly sequence: number
}

/** The partition of the rows of a table: by chain and by the month of a column. */
export interface Partition {
  readonly fields: readonly PartitionField[]
}

interface PartitionField {
  readonly name: string
  readonly transform: 'identity' | 'month'
  readonly 'source-id': number
  readonly 'field-id': number
}

export function partitionBy(fields: readonly IcebergField[], timeColumn: string): Partition {
  const idOf = (column: string) => fields.find(({ name }) => name === column)?.id ?? 0
  return {
    fields: [
      { name: 'chain_id', transform: 'identity', 'source-id': idOf('chain_id'), 'field-id': 1_000 },
      { name: `${timeColumn}_month`, transform: 'month', 'source-id': idOf(timeColumn), 'field-id': 1_001 },
    ],
  }
}

/** A manifest of files that a snapshot adds. `locate` makes the path of a file absolute. */
export function manifestBytes(
  files: readonly DataFile[],
  snapshotId: number,
  { fields, partition }: { readonly fields: readonly IcebergField[]; readonly partition: Partition },
  locate: (path: string) => string,
): Uint8Array {
  const [chain = '', month = ''] = partition.fields.map(({ name }) => name)
  const metadata = {
    schema: JSON.stringify({ type: 'struct', 'schema-id': 0, fields }),
    'schema-id': '0',
    'partition-spec': JSON.stringify(partition.fields),
    'partition-spec-id': '0',
    'format-version': '2',
    content: 'data',
  }
  return avroFile(
    entrySchema(chain, month),
    metadata,
    files.map((file) => ({
      status: 1,
      snapshot_id: snapshotId,
      // Readers take the numbers of the manifest list.
      sequence_number: null,
      file_sequence_number: null,
      data_file: {
        content: 0,
        file_path: locate(file.path),
        file_format: 'PARQUET',
        partition: { [chain]: file.chainId, [month]: file.month },
        record_count: file.rows,
        file_size_in_bytes: file.bytes,
      },
    })),
  )
}

function entrySchema(chain: string, month: string): AvroRecord {
  const partition: AvroRecord = {
    type: 'record',
    name: 'r102',
    fields: [optional(chain, 'long', 1_000), optional(month, 'int', 1_001)],
  }
  const file: AvroRecord = {
    type: 'record',
    name: 'r2',
    fields: [
      required('content', 'int', 134),
      required('file_path', 'string', 100),
      required('file_format', 'string', 101),
      required('partition', partition, 102),
      required('record_count', 'long', 103),
      required('file_size_in_bytes', 'long', 104),
    ],
  }
  return {
    type: 'record',
    name: 'manifest_entry',
    fields: [
      required('status', 'int', 0),
      optional('snapshot_id', 'long', 1),
      optional('sequence_number', 'long', 3),
      optional('file_sequence_number', 'long', 4),
      required('data_file', file, 2),
    ],
  }
}

/** The list of the manifests of a snapshot. */
export function manifestListBytes(
  manifests: readonly Manifest[],
  snapshot: { readonly id: number; readonly parent: number | null; readonly sequence: number },
  locate: (path: string) => string,
): Uint8Array {
  const metadata = {
    'snapshot-id': String(snapshot.id),
    'parent-snapshot-id': String(snapshot.parent),
    'sequence-number': String(snapshot.sequence),
    'format-version': '2',
  }
  return avroFile(
    listSchema,
    metadata,
    manifests.map(({ path, bytes, files, rows, snapshotId, sequence }) => ({
      manifest_path: locate(path),
      manifest_length: bytes,
      partition_spec_id: 0,
      content: 0,
      sequence_number: sequence,
      min_sequence_number: sequence,
      added_snapshot_id: snapshotId,
      added_files_count: files,
      existing_files_count: 0,
      deleted_files_count: 0,
      added_rows_count: rows,
      existing_rows_count: 0,
      deleted_rows_count: 0,
    })),
  )
}

const listSchema: AvroRecord = {
  type: 'record',
  name: 'manifest_file',
  fields: [
    required('manifest_path', 'string', 500),
    required('manifest_length', 'long', 501),
    required('partition_spec_id', 'int', 502),
    required('content', 'int', 517),
    required('sequence_number', 'long', 515),
    required('min_sequence_number', 'long', 516),
    required('added_snapshot_id', 'long', 503),
    required('added_files_count', 'int', 504),
    required('existing_files_count', 'int', 505),
    required('deleted_files_count', 'int', 506),
    required('added_rows_count', 'long', 512),
    required('existing_rows_count', 'long', 513),
    required('deleted_rows_count', 'long', 514),
  ],
}
