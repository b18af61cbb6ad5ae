import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync, readFileSync } from 'node:fs'

/** A program to start. */
export interface Command {
  readonly file: string
  readonly args: readonly string[]
  readonly cwd: string
  readonly env?: Readonly<Record<string, string>>
}

/** A running program with all processes that it starts. */
export interface ProcessGroup {
  readonly pid: number
  /** An error with the end of the log as its cause once the program has ended by itself; null while it runs. */
  failure(): Error | null
  /** Kills all its processes (SIGKILL). */
  kill(): Promise<void>
}

const running = new Set<number>()
process.on('exit', () => running.forEach(killGroup))

/** Starts a program, which ends with this process unless this process is itself killed by SIGKILL. */
export function startProcessGroup({ file, args, cwd, env }: Command, logFile: string): ProcessGroup {
  const log = openSync(logFile, 'a')
  const child = spawn(file, args, {
    cwd,
    env: { ...process.env, ...env },
    stdio: ['ignore', log, log],
    detached: true,
  })
  closeSync(log)
  const { pid } = child
  if (pid === undefined) throw new Error(`${file} could not be started`)
  running.add(pid)
  const ended = once(child, 'exit')
  return {
    pid,
    failure: () =>
      child.exitCode === null && child.signalCode === null
        ? null
        : new Error(`it ended with ${child.exitCode ?? child.signalCode}`, {
            cause: readFileSync(logFile, 'utf8').slice(-5_000),
          }),
    kill: async () => {
      killGroup(pid)
      running.delete(pid)
      await ended
    },
  }
}

function killGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL')
  } catch {
    // All its processes have ended.
  }
}
