import { link, mkdir, open, readdir, readFile, rename, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { PlaceUnavailableError } from '@attestry/core/errors/placeErrors.ts'
import { systemCode, systemReason } from '@attestry/core/errors/systemReason.ts'
import { partialOf, removeAbandoned } from '@attestry/store/transfer/partialFiles.ts'
import type { WritablePlace } from './place.ts'

/** The files in a folder, which the first write makes. */
export function createFolderPlace(folder: string): WritablePlace {
  async function translated<Result>(
    what: string,
    path: string,
    work: () => Promise<Result>,
  ): Promise<Result> {
    try {
      return await work()
    } catch (error) {
      const reason = systemReason(error)
      if (reason === null) throw error
      const message = `The file ${join(folder, path)} cannot be ${what}: ${reason}`
      throw new PlaceUnavailableError(message, { cause: error })
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
      translated('written', path, () => writePartial(join(folder, path), bytes, rename)),
    create: (path, bytes) =>
      translated('written', path, async () => {
        const target = join(folder, path)
        try {
          await writePartial(target, bytes, async (partial) => {
            await link(partial, target)
            await rm(partial)
          })
          return true
        } catch (error) {
          if (systemCode(error) !== 'EEXIST') throw error
          return Buffer.compare(await readFile(target), bytes) === 0
        }
      }),
    measure: (path) =>
      translated('read', path, () => unlessMissing(async () => (await stat(join(folder, path))).size)),
    list: async (path) =>
      (await translated('read', path, () => unlessMissing(() => readdir(join(folder, path))))) ?? [],
    remove: (path) => translated('deleted', path, () => rm(join(folder, path), { force: true })),
  }
}

/** Writes a file under another name, which `finish` gives its own, once its bytes are on the disk. */
async function writePartial(
  target: string,
  bytes: Uint8Array,
  finish: (partial: string, target: string) => Promise<void>,
): Promise<void> {
  await mkdir(dirname(target), { recursive: true })
  await removeAbandoned(dirname(target), null)
  const partial = partialOf(target)
  try {
    // Others may write to the folder: a link of theirs is not followed.
    await rm(partial, { force: true })
    const file = await open(partial, 'wx')
    try {
      await file.writeFile(bytes)
      await file.sync()
    } finally {
      await file.close()
    }
    await finish(partial, target)
  } catch (error) {
    await rm(partial, { force: true }).catch(() => undefined)
    throw error
  }
}

/** Null where there is no such file. */
async function unlessMissing<Result>(work: () => Promise<Result>): Promise<Result | null> {
  try {
    return await work()
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return null
    throw error
  }
}

export function tooLong(file: string, bytesMax: number): PlaceUnavailableError {
  return new PlaceUnavailableError(`The file ${file} is longer than the ${bytesMax} bytes that it may have`)
}
