import { rmSync, statSync } from 'node:fs'
import { realpath, rename, rm } from 'node:fs/promises'
import { basename, dirname } from 'node:path'
import { StartError } from '../errors/configErrors.ts'
import { systemReason } from '../errors/systemReason.ts'
import { partialOf, removeAbandoned } from '../store/transfer/partialFiles.ts'
import { stopSignals } from './listenForStop.ts'

/**
 * Writes a file that appears under its name only when it is complete. `write` gets the path to write to. A signal to
 * stop ends the process, and leaves nothing of the file.
 * @throws StartError when the file cannot be written.
 */
export async function writeFileWhole(file: string, write: (partial: string) => Promise<void>): Promise<void> {
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
    await write(partial)
    await rename(partial, target)
  } catch (error) {
    await rm(partial, { force: true }).catch(() => undefined)
    throw writeError(`The file ${file}`, error)
  } finally {
    for (const name of stopSignals) process.off(name, onSignal)
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
  const reason = systemReason(error)
  return reason === null ? error : new StartError(`${target} cannot be written: ${reason}`, { cause: error })
}
