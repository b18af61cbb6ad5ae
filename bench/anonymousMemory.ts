import { readdirSync, readFileSync } from 'node:fs'

/**
 * Megabytes of anonymous memory of a process and all that descend from it: what they hold themselves, without the files
 * that they map. Only Linux reports this (`/proc/PID/smaps_rollup`).
 */
export function anonymousMegabytes(rootPid: number): number {
  return processTree(rootPid).reduce((sum, pid) => sum + anonymousKilobytes(pid), 0) / 1024
}

/** Seconds of processor time of a process, of those that descend from it, and of those of them that have ended. */
export function treeCpuSeconds(rootPid: number): number {
  const ticks = processTree(rootPid).flatMap((pid) => statFields(pid).slice(11, 15).map(Number))
  return ticks.reduce((sum, each) => sum + each, 0) / ticksPerSecond
}

/** `sysconf(_SC_CLK_TCK)`, which is 100 on every Linux that Node.js runs on. */
const ticksPerSecond = 100

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

/** 0 for a process that has just ended. */
function parentOf(pid: number): number {
  return Number(statFields(pid)[1] ?? 0)
}

/** The fields of `/proc/PID/stat` from the third on, after the name, which may hold anything. */
function statFields(pid: number): readonly string[] {
  const stat = readProcess(pid, 'stat')
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ')
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
