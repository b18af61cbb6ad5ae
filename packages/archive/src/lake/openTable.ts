import { randomBytes, randomInt, randomUUID } from 'node:crypto'
import { resolve } from 'node:path'
import { LakeRefusedError } from '@attestry/core/errors/placeErrors.ts'
import type { ChainId } from '@attestry/core/model/compositeId.ts'
import type { WritablePlace } from '../places/place.ts'
import { icebergColumns, type ParquetColumn } from './icebergColumns.ts'
import { manifestBytes, manifestListBytes, partitionBy, type DataFile } from './manifests.ts'
import { describeSegments, metadataJson, readMetadata } from './tableState.ts'
import type { Abandoned, Segment, TableShape, TableState, Tip } from './tableState.ts'

/** A segment to be: the files are written, but no snapshot has them. */
export interface NewSegment extends Tip {
  readonly chainId: ChainId
  readonly files: readonly DataFile[]
}

/** A table of the lake, which this process alone writes. */
export interface LakeTable<Row> {
  readonly name: string
  /** The columns of its data files. */
  readonly columns: readonly ParquetColumn<Row>[]
  /** The column by whose month the rows are divided. */
  readonly timeColumn: string
  segments(): readonly Segment[]
  /** Writes a data file that no snapshot has yet, and returns its path. */
  write(bytes: Uint8Array): Promise<string>
  /** Has such files deleted with the next snapshot. */
  discard(files: readonly DataFile[]): void
  /** Deletes the files that no snapshot has, at the end of a round that failed; errors are passed over. */
  abandon(): Promise<void>
  /**
   * Makes a snapshot of the segments, which stand in the order of `Segment`. Readers see the snapshot before or this
   * one, wherever the process ends.
   * @throws LakeRefusedError if another process has written the table since.
   */
  commit(
    operation: 'append' | 'replace' | 'overwrite',
    segments: readonly (Segment | NewSegment)[],
  ): Promise<void>
}

export interface TableOptions<Row> {
  readonly name: string
  readonly columns: readonly ParquetColumn<Row>[]
  /** The column by whose month the rows are divided. */
  readonly timeColumn: string
  readonly place: WritablePlace
  readonly signal: AbortSignal
}

/** Snapshots and metadata files that are kept for readers who began with them. */
const kept = 100
const metadataBytesMax = 256 * 1024 * 1024
const hintPath = 'metadata/version-hint.text'
const metadataPath = (version: number) => `metadata/v${version}.metadata.json`

/**
 * Opens a table, or begins one. This process becomes the writer by a new version of the metadata, after which whatever
 * wrote before cannot commit, and its files that no snapshot has are deleted.
 * @throws PlaceUnavailableError, LakeRefusedError
 */
export async function openTable<Row>(options: TableOptions<Row>): Promise<LakeTable<Row>> {
  const { name, columns, timeColumn, place, signal } = options
  const { fields, lastId, parquet } = icebergColumns(columns)
  const pathOf = (path: string) => `${name}/${path}`
  const location = `${locationOf(place.name)}/${name}`
  const locate = (path: string) => `${location}/${path}`
  const relative = (path: string) => path.slice(location.length + 1)
  const shape: TableShape = { fields, lastId, partition: partitionBy(fields, timeColumn), location }
  const writer = randomBytes(8).toString('hex')
  let version = 0
  let state: TableState = {
    uuid: randomUUID(),
    sequence: 0,
    updatedMs: Date.now(),
    snapshots: [],
    writer,
    segments: [],
    removals: [],
    abandoned: [],
  }
  /** Files of the version that is being made: those that were begun, and those that it shall not have. */
  let written: string[] = []
  let discarded: string[] = []

  async function load(): Promise<void> {
    const hint = await place.read(pathOf(hintPath), 100, signal)
    version = hint === null ? 0 : Number(Buffer.from(hint).toString().trim())
    if (!Number.isSafeInteger(version)) throw refused()
    // A process that was killed may have left the hint behind.
    while ((await place.measure(pathOf(metadataPath(version + 1)), signal)) !== null) version += 1
    if (version === 0) return
    const bytes = await place.read(pathOf(metadataPath(version)), metadataBytesMax, signal)
    const read = bytes === null ? null : readMetadata(Buffer.from(bytes).toString(), shape)
    if (read === null) throw refused()
    state = read
  }

  function refused(): LakeRefusedError {
    return new LakeRefusedError(
      `The table ${name} in ${place.name} is not of this version of the program, or has other columns; give another place, or delete the table`,
    )
  }

  /** Makes a state the next version, which nothing else may have done. */
  async function advance(next: TableState): Promise<void> {
    const bytes = Buffer.from(metadataJson(next, shape))
    const files = written
    // If the request fails, the version may exist all the same: its files stay.
    written = []
    if (!(await place.create(pathOf(metadataPath(version + 1)), bytes, signal))) {
      written = files
      await removeWritten()
      throw new LakeRefusedError(`Another process writes the table ${name} in ${place.name}`)
    }
    version += 1
    state = next
    discarded = []
    await place.write(pathOf(hintPath), Buffer.from(String(version)), signal)
    await tidy()
  }

  /** If the process is killed here, the next opening deletes the remaining files. */
  async function tidy(): Promise<void> {
    for (const path of due(state).flatMap(({ paths }) => paths)) await place.remove(pathOf(path), signal)
    if (version > kept) await place.remove(pathOf(metadataPath(version - kept)), signal)
  }

  /** Deletes the files for a version that was not made, the last one first: they are numbered without a gap. */
  async function removeFiles(abandoned: Abandoned): Promise<void> {
    const found: string[] = []
    for (;;) {
      const path = await firstPresent(candidates(abandoned, found.length))
      if (path === null) break
      found.push(path)
    }
    for (const path of found.toReversed()) await place.remove(pathOf(path), signal)
  }

  /** Files that stay because the place is away are deleted at the next opening. */
  async function removeWritten(): Promise<void> {
    for (const path of written.splice(0)) await place.remove(pathOf(path), signal).catch(() => undefined)
  }

  /**
   * Deletes the files that were written for versions up to this one and that this version does not have: no snapshot can
   * get them any more, since each version is made once. Later versions are those of other writers. Returns whether the
   * place lists its files.
   */
  async function sweep(): Promise<boolean> {
    const used = new Set([
      ...filesOf(state.segments),
      ...state.removals.flatMap(({ paths }) => paths),
      ...state.snapshots.map((snapshot) => relative(snapshot['manifest-list'])),
    ])
    for (const folder of ['data', 'metadata']) {
      const names = (await place.list?.(pathOf(folder), signal)) ?? null
      if (names === null) return false
      for (const file of names) {
        const path = `${folder}/${file}`
        if (versionOf(path) > version || used.has(path)) continue
        await place.remove(pathOf(path), signal)
      }
    }
    return true
  }

  async function firstPresent(paths: readonly string[]): Promise<string | null> {
    for (const path of paths) {
      if ((await place.measure(pathOf(path), signal)) !== null) return path
    }
    return null
  }

  async function writeNext(kind: 'data' | 'metadata', bytes: Uint8Array): Promise<string> {
    const [data = '', metadata = ''] = candidates({ writer, version: version + 1 }, written.length)
    const path = kind === 'data' ? data : metadata
    written.push(path)
    await place.write(pathOf(path), bytes, signal)
    return path
  }

  async function makeSegment(segment: NewSegment, snapshotId: number, sequence: number): Promise<Segment> {
    const { files, ...tip } = segment
    const rows = files.reduce((sum, file) => sum + file.rows, 0)
    const paths = files.map(({ path }) => path)
    if (files.length === 0) return { ...tip, rows, files: paths, manifest: null }
    const bytes = manifestBytes(files, snapshotId, shape, locate)
    const path = await writeNext('metadata', bytes)
    const manifest = { path, bytes: bytes.length, files: files.length, rows, snapshotId, sequence }
    return { ...tip, rows, files: paths, manifest }
  }

  await load()
  if (version > 0) await tidy()
  const abandoned = [...state.abandoned, { writer: state.writer, version: version + 1 }]
  await advance({
    ...state,
    writer,
    removals: state.removals.filter((removal) => !due(state).includes(removal)),
    abandoned,
  })
  if (!(await sweep())) for (const each of abandoned) await removeFiles(each)

  return {
    name,
    columns: parquet,
    timeColumn,
    segments: () => state.segments,
    write: (bytes) => writeNext('data', bytes),
    abandon: removeWritten,
    discard: (files) => void discarded.push(...files.map(({ path }) => path)),
    commit: async (operation, wanted) => {
      // Readers in JavaScript and JSON know whole numbers up to 2^53.
      const snapshotId = randomInt(1, 2 ** 48 - 1)
      const sequence = state.sequence + 1
      const parent = state.snapshots.at(-1) ?? null
      const segments: Segment[] = []
      for (const segment of wanted) {
        segments.push('manifest' in segment ? segment : await makeSegment(segment, snapshotId, sequence))
      }
      const manifests = segments.flatMap(({ manifest }) => manifest ?? [])
      const added = manifests.filter((manifest) => manifest.snapshotId === snapshotId)
      const id = { id: snapshotId, parent: parent?.['snapshot-id'] ?? null, sequence }
      const list = await writeNext('metadata', manifestListBytes(manifests, id, locate))
      const updatedMs = Math.max(Date.now(), state.updatedMs)
      const snapshots = [
        ...state.snapshots,
        {
          'snapshot-id': snapshotId,
          ...(parent !== null && { 'parent-snapshot-id': parent['snapshot-id'] }),
          'sequence-number': sequence,
          'timestamp-ms': updatedMs,
          'manifest-list': locate(list),
          summary: {
            operation,
            'added-data-files': String(added.reduce((sum, { files }) => sum + files, 0)),
            'added-records': String(added.reduce((sum, { rows }) => sum + rows, 0)),
            ...describeSegments(segments),
          },
          'schema-id': 0,
        } as const,
      ]
      const expired = snapshots.slice(0, -kept).map((snapshot) => relative(snapshot['manifest-list']))
      const used = new Set(filesOf(segments))
      const dropped = filesOf(state.segments).filter((path) => !used.has(path))
      const unused = [...expired, ...discarded]
      await advance({
        uuid: state.uuid,
        sequence,
        updatedMs,
        snapshots: snapshots.slice(-kept),
        writer,
        segments,
        abandoned: [],
        removals: [
          ...state.removals.filter((removal) => !due(state).includes(removal)),
          ...(unused.length > 0 ? [{ sequence: 0, paths: unused }] : []),
          ...(dropped.length > 0 ? [{ sequence, paths: dropped }] : []),
        ],
      })
    },
  }
}

/**
 * Checks that the place refuses to create a file that exists: otherwise two processes could write one table.
 * @throws PlaceUnavailableError, LakeRefusedError
 */
export async function tryPlace(place: WritablePlace, signal: AbortSignal): Promise<void> {
  const path = `attestry-${randomBytes(8).toString('hex')}`
  await place.write(path, Buffer.from('1'), signal)
  const isReplaced = await place.create(path, Buffer.from('2'), signal)
  await place.remove(path, signal)
  if (isReplaced) {
    throw new LakeRefusedError(
      `The server of ${place.name} does not know If-None-Match: two processes could write the lake at once`,
    )
  }
}

/** The removals of files that no snapshot has any more. */
function due({ snapshots, removals }: TableState): TableState['removals'] {
  const oldest = snapshots[0]?.['sequence-number'] ?? 0
  return removals.filter(({ sequence }) => sequence <= oldest)
}

function filesOf(segments: readonly Segment[]): readonly string[] {
  return segments.flatMap(({ files, manifest }) => [...files, ...(manifest === null ? [] : [manifest.path])])
}

/** The n-th file that a writer makes for a version is one of these. */
function candidates({ writer, version }: Abandoned, number: number): readonly string[] {
  const name = `${writer}-${version}-${number}`
  return [`data/${name}.parquet`, `metadata/${name}.avro`]
}

/** The version that a file was written for; infinite for a file of another name. */
function versionOf(path: string): number {
  const found = /^(?:data|metadata)\/[0-9a-f]{16}-([0-9]{1,15})-[0-9]{1,15}\.(?:parquet|avro)$/.exec(path)
  return found === null ? Infinity : Number(found[1])
}

function locationOf(name: string): string {
  if (name.startsWith('s3://')) return name
  const path = resolve(name).replaceAll('\\', '/')
  return `file://${path.startsWith('/') ? '' : '/'}${path}`
}
