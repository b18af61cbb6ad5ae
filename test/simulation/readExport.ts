import { openSqliteReader } from '../../src/store/sqlite/openSqliteReader.ts'

/** The export of the index at `path`, with the times of storing. */
export async function readExport(path: string): Promise<string[]> {
  const reader = openSqliteReader(path)
  try {
    const lines: string[] = []
    for await (const line of reader.exportLines({ times: true })) lines.push(line)
    return lines
  } finally {
    await reader.close()
  }
}
