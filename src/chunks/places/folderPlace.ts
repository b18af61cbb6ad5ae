import { mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { ChunksUnavailableError } from '../../errors/chunkErrors.ts'
import type { WritablePlace } from './chunkPlace.ts'

/** The chunks in a folder, which the first write makes. */
export function createFolderPlace(folder: string): WritablePlace {
  async function translated<Result>(
    what: string,
    path: string,
    work: () => Promise<Result>,
  ): Promise<Result> {
    try {
      return await work()
    } catch (error) {
      const code = codeOf(error)
      if (code === null) throw error
      throw new ChunksUnavailableError(
        `The file ${join(folder, path)} cannot be ${what}: ${reasons[code] ?? code}`,
        {
          cause: error,
        },
      )
    }
  }

  return {
    name: folder,
    read: (path, bytesMax) =>
      translated('read', path, () =>
        unlessMissing(async () => {
          const file = await open(join(folder, path))
          try {
            const { size } = await file.stat()
            if (size > bytesMax) throw tooLong(join(folder, path), bytesMax)
            return await file.readFile()
          } finally {
            await file.close()
          }
        }),
      ),
    write: (path, bytes) =>
      translated('written', path, async () => {
        const target = join(folder, path)
        await mkdir(dirname(target), { recursive: true })
        await removeAbandoned(dirname(target))
        const partial = `${target}.${process.pid}${partialSuffix}`
        try {
          const file = await open(partial, 'w')
          try {
            await file.writeFile(bytes)
            await file.sync()
          } finally {
            await file.close()
          }
          await rename(partial, target)
        } catch (error) {
          await rm(partial, { force: true }).catch(() => undefined)
          throw error
        }
      }),
    measure: (path) =>
      translated('read', path, () => unlessMissing(async () => (await stat(join(folder, path))).size)),
    remove: (path) => translated('deleted', path, () => rm(join(folder, path), { force: true })),
  }
}

const partialSuffix = '.part'

/** Removes what publishers that were killed have left unfinished. */
async function removeAbandoned(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    if (name.endsWith(partialSuffix) && !name.endsWith(`.${process.pid}${partialSuffix}`)) {
      await rm(join(folder, name), { force: true })
    }
  }
}

/** Null where there is no such file. */
async function unlessMissing<Result>(work: () => Promise<Result>): Promise<Result | null> {
  try {
    return await work()
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return null
    throw error
  }
}

export function tooLong(file: string, bytesMax: number): ChunksUnavailableError {
  return new ChunksUnavailableError(`The file ${file} is longer than the ${bytesMax} bytes that it may have`)
}

const reasons: Readonly<Record<string, string>> = {
  ENOTDIR: 'a part of its path is a file',
  EACCES: 'permission is denied',
  EPERM: 'permission is denied',
  EROFS: 'the file system is read-only',
  EISDIR: 'it is a folder',
  ENOSPC: 'the disk is full',
  EDQUOT: 'the quota of the disk is used up',
}

function codeOf(error: unknown): string | null {
  const code = error instanceof Error && 'code' in error ? error.code : null
  return typeof code === 'string' && /^E[A-Z]+$/.test(code) ? code : null
}
