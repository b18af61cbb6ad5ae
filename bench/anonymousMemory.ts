import { readdirSync, readFileSync } from 'node:fs'

/**
 * Megabytes of anonymous memory of a process and all that descend from it: what they hold themselves, without the files
 * that they map. Linux alone says so (`/proc/PID/smaps_rollup`).
 */
export function anonymousMegabytes(rootPid: number): number {
  return processTree(rootPid).reduce((sum, pid) => sum + anonymousKilobytes(pid), 0) / 1024
}

/** A process and its descendants, as they are now. */
function processTree(rootPid: number): readonly number[] {
  const children = Map.groupBy(
    readdirSync('/proc')
      .filter((name) => /^[0-9]+$/.test(name))
      .map(Number),
    parentOf,
  )
  const tree = [rootPid]
  for (const pid of tree) tree.push(...(children.get(pid) ?? []))
  return tree
}

/**
 * The fourth field of `/proc/PID/stat`, behind the name, which may hold anything; 0 for a process that has just ended.
 */
function parentOf(pid: number): number {
  const stat = readProcess(pid, 'stat')
  return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1] ?? 0)
}

function anonymousKilobytes(pid: number): number {
  return Number(/^Anonymous:\s+([0-9]+) kB/m.exec(readProcess(pid, 'smaps_rollup'))?.[1] ?? 0)
}

function readProcess(pid: number, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8')
  } catch {
    return ''
  }
}
