import { rmSync, statSync } from 'node:fs'
import { lstat, open, readlink, realpath, rename, rm } from 'node:fs/promises'
import { basename, dirname, resolve } from 'node:path'
import { StartError } from '@attestry/core/errors/configErrors.ts'
import { systemReason } from '@attestry/core/errors/systemReason.ts'
import { partialOf, removeAbandoned } from '@attestry/store/transfer/partialFiles.ts'
import { stopSignals } from './listenForStop.ts'

/**
 * Writes a file that appears under its name only when it is complete. `write` gets the path to write to. A signal to
 * stop ends the process, and leaves nothing of the file.
 * @throws StartError when the file cannot be written.
 */
export async function writeFileWhole(file: string, write: (partial: string) => Promise<void>): Promise<void> {
  await assertOwnLinks(file)
  // A link stays, and the file that it names is replaced.
  const target = await realpath(file).catch(() => file)
  const partial = partialOf(target)
  await removeAbandoned(dirname(target), basename(target))
  const onSignal = (name: NodeJS.Signals) => {
    rmSync(partial, { force: true })
    process.kill(process.pid, name)
  }
  for (const name of stopSignals) process.once(name, onSignal)
  try {
    assertReplaceable(file)
    // In a folder that others write to, a link may stand there already; afterwards the file is ours.
    await rm(partial, { force: true })
    await (await open(partial, 'wx')).close()
    await write(partial)
    await rename(partial, target)
  } catch (error) {
    await rm(partial, { force: true }).catch(() => undefined)
    throw writeError(`The file ${file}`, error)
  } finally {
    for (const name of stopSignals) process.off(name, onSignal)
  }
}

/**
 * Follows no link that another user has made, in place of the file or of a folder in its path: it would choose the file
 * that is replaced.
 * @throws StartError
 */
async function assertOwnLinks(file: string): Promise<void> {
  const user = process.geteuid?.()
  let path = '/'
  let names = resolve(file).split('/')
  for (let links = 0; user !== undefined && links < linksMax && names.length > 0;) {
    const [name = '', ...rest] = names
    const next = resolve(path, name)
    const found = await lstat(next).catch(() => null)
    names = rest
    if (found?.isSymbolicLink() !== true) {
      path = next
      continue
    }
    if (found.uid !== user && found.uid !== 0) {
      throw new StartError(
        `The file ${file} cannot be written: ${next} is a link of another user; give the path that it names`,
      )
    }
    names = [...resolve(path, await readlink(next)).split('/'), ...rest]
    path = '/'
    links += 1
  }
}

/** As many as Linux follows. */
const linksMax = 40

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
  const reason = systemReason(error)
  return reason === null ? error : new StartError(`${target} cannot be written: ${reason}`, { cause: error })
}
