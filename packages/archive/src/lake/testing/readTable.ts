import { zstdDecompressSync } from 'node:zlib'
import { parquetMetadata, parquetReadObjects } from 'hyparquet'
import { readAvro, type AvroRow } from './readAvro.ts'

/** The bytes of a file by the absolute path that a table gives. */
export type ReadFile = (path: string) => Uint8Array

export interface ReadSnapshot {
  readonly operation: string
  readonly cursor: ReadonlyMap<number, number>
  readonly summary: Readonly<Record<string, string>>
  /** Absolute paths of the data files. */
  readonly files: readonly string[]
  /** Those of the manifests and their list. */
  readonly metadataFiles: readonly string[]
  rows(): Promise<readonly Record<string, unknown>[]>
}

/** Snapshots of a table as a reader of Iceberg finds them, the oldest first; checks what the specification demands. */
export function readSnapshots(location: string, read: ReadFile): readonly ReadSnapshot[] {
  const text = (path: string) => Buffer.from(read(`${location}/metadata/${path}`)).toString()
  const metadata = JSON.parse(text(`v${text('version-hint.text')}.metadata.json`)) as Metadata
  if (metadata.location !== location) throw new Error(`the table is elsewhere: ${metadata.location}`)
  const current = metadata['current-snapshot-id'] ?? null
  if (current !== (metadata.snapshots.at(-1)?.['snapshot-id'] ?? null)) throw new Error('no newest snapshot')
  return metadata.snapshots.map((snapshot) => {
    const manifests = readAvro(read(snapshot['manifest-list'])).rows
    const entries = manifests.flatMap((manifest) => {
      const bytes = read(asText(manifest['manifest_path']))
      if (BigInt(bytes.length) !== manifest['manifest_length'])
        throw new Error('a manifest of another length')
      const { rows } = readAvro(bytes)
      if (BigInt(rows.length) !== manifest['added_files_count']) throw new Error('another number of files')
      return rows.map(({ data_file: file }) => file as AvroRow)
    })
    return {
      operation: snapshot.summary['operation'] ?? '',
      cursor: readCursor(snapshot.summary['attestry.cursor'] ?? ''),
      summary: snapshot.summary,
      files: entries.map((entry) => asText(entry['file_path'])),
      metadataFiles: [
        snapshot['manifest-list'],
        ...manifests.map((manifest) => asText(manifest['manifest_path'])),
      ],
      rows: async () => {
        const parts: (readonly Record<string, unknown>[])[] = []
        for (const entry of entries) parts.push(await readFile(entry, read))
        const rows = parts.flat()
        if (String(rows.length) !== snapshot.summary['total-records'])
          throw new Error('another number of rows')
        return rows
      },
    }
  })
}

interface Metadata {
  readonly location: string
  readonly 'current-snapshot-id'?: number
  readonly snapshots: readonly {
    readonly 'snapshot-id': number
    readonly 'manifest-list': string
    readonly summary: Readonly<Record<string, string>>
  }[]
}

function readCursor(text: string): ReadonlyMap<number, number> {
  const chains = text === '' ? [] : text.split(' ')
  return new Map(chains.map((chain) => chain.split(':').map(Number) as [number, number]))
}

async function readFile(entry: AvroRow, read: ReadFile): Promise<readonly Record<string, unknown>[]> {
  const bytes = read(asText(entry['file_path']))
  const { buffer } = new Uint8Array(bytes)
  if (BigInt(bytes.length) !== entry['file_size_in_bytes']) throw new Error('a file of another length')
  const rows: Record<string, unknown>[] = await parquetReadObjects({
    file: buffer,
    metadata: parquetMetadata(buffer),
    compressors: { ZSTD: (input) => zstdDecompressSync(input) },
  })
  if (BigInt(rows.length) !== entry['record_count']) throw new Error('a file of another number of rows')
  const { chain_id: chain, ...months } = entry['partition'] as AvroRow
  const [[column, month] = []] = Object.entries(months)
  for (const row of rows) {
    const time = row[(column ?? '').replace(/_month$/, '')]
    const isThere =
      time instanceof Date
        ? month === BigInt((time.getUTCFullYear() - 1970) * 12 + time.getUTCMonth())
        : month === null
    if (row['chain_id'] !== chain || !isThere) throw new Error('a row in a file of another partition')
  }
  return rows
}

function asText(value: unknown): string {
  return typeof value === 'string' ? value : ''
}
