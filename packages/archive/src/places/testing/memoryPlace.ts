import type { WritablePlace } from '../place.ts'

/** A place in memory, whose files a test may change. */
export interface MemoryPlace extends WritablePlace {
  readonly files: Map<string, Uint8Array>
  /** The paths that were written, in order. */
  readonly written: string[]
}

export function createMemoryPlace(): MemoryPlace {
  const files = new Map<string, Uint8Array>()
  const written: string[] = []
  return {
    name: 'memory',
    files,
    written,
    read: async (path) => files.get(path) ?? null,
    write: async (path, bytes) => {
      files.set(path, bytes)
      written.push(path)
    },
    create: async (path, bytes) => {
      const found = files.get(path)
      if (found !== undefined) return Buffer.compare(found, bytes) === 0
      files.set(path, bytes)
      written.push(path)
      return true
    },
    measure: async (path) => files.get(path)?.length ?? null,
    list: async (folder) =>
      [...files.keys()].flatMap((path) =>
        path.startsWith(`${folder}/`) ? [path.slice(folder.length + 1)] : [],
      ),
    remove: async (path) => void files.delete(path),
  }
}
