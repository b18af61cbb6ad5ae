import { rmSync, statSync } from 'node:fs'
import { readdir, realpath, rename, rm } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { StartError } from '../errors/configErrors.ts'
import { stopSignals } from './listenForStop.ts'

/**
 * Writes a file that appears under its name only when it is complete. `write` gets the path to write to. A signal to
 * stop ends the process, and leaves nothing of the file.
 * @throws StartError when the file cannot be written.
 */
export async function writeFileWhole(file: string, write: (partial: string) => Promise<void>): Promise<void> {
  // A link stays, and the file that it names is replaced.
  const target = await realpath(file).catch(() => file)
  const partial = `${target}.${process.pid}.part`
  await removeAbandoned(target)
  const onSignal = (name: NodeJS.Signals) => {
    rmSync(partial, { force: true })
    process.kill(process.pid, name)
  }
  for (const name of stopSignals) process.once(name, onSignal)
  try {
    assertReplaceable(file)
    await write(partial)
    await rename(partial, target)
  } catch (error) {
    await rm(partial, { force: true }).catch(() => undefined)
    throw writeError(`The file ${file}`, error)
  } finally {
    for (const name of stopSignals) process.off(name, onSignal)
  }
}

/** Removes the incomplete files that killed processes have left beside `target`. */
async function removeAbandoned(target: string): Promise<void> {
  const folder = dirname(target)
  const start = `${basename(target)}.`
  for (const name of await readdir(folder).catch(() => [])) {
    const pid = name.startsWith(start)
      ? /^([0-9]{1,10})\.part$/.exec(name.slice(start.length))?.[1]
      : undefined
    if (pid === undefined || isRunning(Number(pid))) continue
    await rm(join(folder, name), { force: true }).catch(() => undefined)
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return codeOf(error) === 'EPERM'
  }
}

/** @throws StartError for a pipe or a device, which a complete file must not replace. */
function assertReplaceable(file: string): void {
  const found = statSync(file, { throwIfNoEntry: false })
  if (found === undefined || found.isFile() || found.isDirectory()) return
  throw new StartError(
    `The file ${file} cannot be written: it is a pipe or a device; give the path of a file`,
  )
}
/** A failure of the operating system to write `target`, as a sentence; any other error as it is. */
export function writeError(target: string, error: unknown): unknown {
  const code = codeOf(error)
  if (code === null || !/^E[A-Z]+$/.test(code)) return error
  return new StartError(`${target} cannot be written: ${writeFailures[code] ?? code}`, { cause: error })
}

const writeFailures: Readonly<Record<string, string>> = {
  ENOENT: 'its folder does not exist',
  ENOTDIR: 'a part of its path is a file',
  EACCES: 'permission is denied',
  EPERM: 'permission is denied',
  EROFS: 'the file system is read-only',
  EISDIR: 'it is a folder',
  ENOSPC: 'the disk is full',
  EDQUOT: 'the quota of the disk is used up',
  EFBIG: 'it would exceed the limit on the size of files',
}

function codeOf(error: unknown): string | null {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : null
}
