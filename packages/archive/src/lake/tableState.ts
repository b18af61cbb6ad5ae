import type { ChainId } from '@attestry/core/model/compositeId.ts'
import type { IcebergField } from './icebergColumns.ts'
import type { Manifest, Partition } from './manifests.ts'

/** How far a table goes on a chain, and the digest of the chain up to there. */
export interface Tip {
  /** The last block; -1 before the first. */
  readonly block: number
  readonly events: number
  readonly digest: string
}

/** The rows of a range of blocks of one chain: those behind the segment before it. Segments are only added and merged. */
export interface Segment extends Tip {
  readonly chainId: ChainId
  readonly rows: number
  /** Data files, relative to the table. */
  readonly files: readonly string[]
  /** null if the range has no rows. */
  readonly manifest: Manifest | null
}

/** Files that no snapshot from `sequence` on has. */
interface Removal {
  readonly sequence: number
  readonly paths: readonly string[]
}

/** A version that a process did not make, and may have written files for. */
export interface Abandoned {
  readonly writer: string
  readonly version: number
}

export interface Snapshot {
  readonly 'snapshot-id': number
  readonly 'parent-snapshot-id'?: number
  readonly 'sequence-number': number
  readonly 'timestamp-ms': number
  readonly 'manifest-list': string
  readonly summary: Readonly<Record<string, string>>
  readonly 'schema-id': 0
}

/** The parts of the metadata file of a version that change. */
export interface TableState {
  readonly uuid: string
  readonly sequence: number
  readonly updatedMs: number
  readonly snapshots: readonly Snapshot[]
  /** The process that wrote the version; only it may write the next one. */
  readonly writer: string
  /** By chain, then in the order of the chain. */
  readonly segments: readonly Segment[]
  readonly removals: readonly Removal[]
  /** Files that a new writer deletes before its first commit. */
  readonly abandoned: readonly Abandoned[]
}

export interface TableShape {
  readonly fields: readonly IcebergField[]
  readonly lastId: number
  readonly partition: Partition
  /** An absolute URI, without a slash at its end. */
  readonly location: string
}

/** Version 2 of https://iceberg.apache.org/spec/#table-metadata. Members that only this program reads stand in the properties. */
export function metadataJson(state: TableState, { fields, lastId, partition, location }: TableShape): string {
  const current = state.snapshots.at(-1)?.['snapshot-id'] ?? null
  return JSON.stringify({
    'format-version': 2,
    'table-uuid': state.uuid,
    location,
    'last-sequence-number': state.sequence,
    'last-updated-ms': state.updatedMs,
    'last-column-id': lastId,
    'current-schema-id': 0,
    schemas: [{ type: 'struct', 'schema-id': 0, fields }],
    'default-spec-id': 0,
    'partition-specs': [{ 'spec-id': 0, fields: partition.fields }],
    'last-partition-id': 1_001,
    'default-sort-order-id': 0,
    'sort-orders': [{ 'order-id': 0, fields: [] }],
    properties: {
      'attestry.writer': state.writer,
      'attestry.segments': JSON.stringify(state.segments),
      'attestry.removals': JSON.stringify(state.removals),
      'attestry.abandoned': JSON.stringify(state.abandoned),
    },
    ...(current !== null && {
      'current-snapshot-id': current,
      refs: { main: { 'snapshot-id': current, type: 'branch' } },
    }),
    snapshots: state.snapshots,
  })
}

interface Metadata {
  readonly 'table-uuid': string
  readonly 'last-sequence-number': number
  readonly 'last-updated-ms': number
  readonly schemas: readonly unknown[]
  readonly properties: Readonly<Record<string, string | undefined>>
  readonly snapshots: readonly Snapshot[]
}

/** null for a table that is not of this program, or has other columns. */
export function readMetadata(text: string, { fields }: TableShape): TableState | null {
  try {
    // The members are those that `metadataJson` wrote, where the properties are there.
    const read = JSON.parse(text) as Metadata
    const { properties } = read
    const writer = properties['attestry.writer']
    const segments = properties['attestry.segments']
    const removals = properties['attestry.removals']
    const abandoned = properties['attestry.abandoned']
    if (writer === undefined || segments === undefined) return null
    if (removals === undefined || abandoned === undefined) return null
    const schema = { type: 'struct', 'schema-id': 0, fields }
    if (JSON.stringify(read.schemas) !== JSON.stringify([schema])) return null
    return {
      uuid: read['table-uuid'],
      sequence: read['last-sequence-number'],
      updatedMs: read['last-updated-ms'],
      snapshots: read.snapshots,
      writer,
      segments: JSON.parse(segments) as Segment[],
      removals: JSON.parse(removals) as Removal[],
      abandoned: JSON.parse(abandoned) as Abandoned[],
    }
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof TypeError) return null
    throw error
  }
}

/** The cursor of a snapshot, the last block of each chain, and the digests of the chains there. */
export function describeSegments(segments: readonly Segment[]): Readonly<Record<string, string>> {
  const tips = [...new Map(segments.map((segment) => [segment.chainId, segment])).values()]
  return {
    'total-records': String(segments.reduce((sum, { rows }) => sum + rows, 0)),
    'total-data-files': String(segments.reduce((sum, { files }) => sum + files.length, 0)),
    'attestry.cursor': tips.map(({ chainId, block }) => `${chainId}:${block}`).join(' '),
    ...Object.fromEntries(tips.map(({ chainId, digest }) => [`attestry.digest.${chainId}`, digest])),
  }
}
