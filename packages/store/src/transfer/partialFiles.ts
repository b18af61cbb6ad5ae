import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'

/** A file is written under the name of its process until it is complete. */
export function partialOf(target: string): string {
  return `${target}.${process.pid}.part`
}

/**
 * Removes from a folder the incomplete files that killed processes have left; with `name`, only those of that file.
 * Those of running processes stay.
 */
export async function removeAbandoned(folder: string, name: string | null): Promise<void> {
  for (const found of await readdir(folder).catch(() => [])) {
    const [, own, pid] = /^(.+)\.([0-9]{1,10})\.part$/.exec(found) ?? []
    if (own === undefined || (name !== null && own !== name) || isRunning(Number(pid))) continue
    await rm(join(folder, found), { force: true }).catch(() => undefined)
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}
