import { spawn, type ChildProcessByStdio } from 'node:child_process'
import type { Readable } from 'node:stream'
import { fileURLToPath } from 'node:url'

/** The program as a process of its own, as an operator runs it. */
export interface SpawnedAttestry {
  readonly child: ChildProcessByStdio<null, Readable, Readable>
  stdout(): string
  stderr(): string
  /**
   * Resolves with the first line of standard output that matches; rejects when the process ends or `limitMs` passes
   * before.
   */
  waitForLine(pattern: RegExp, limitMs?: number): Promise<string>
  /** Resolves when the process has ended; after `limitMs` it is killed and this rejects. */
  waitForExit(limitMs?: number): Promise<ExitedAttestry>
}

export interface ExitedAttestry {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

export interface SpawnOptions {
  readonly cwd: string
  /** Variables beside PATH, HOME and NODE_COMPILE_CACHE, the only ones that the program inherits. */
  readonly environment?: Readonly<Record<string, string>>
  /** The limit of the JavaScript heap in MiB; above it the process aborts as out of memory. */
  readonly heapMib?: number
  /** The file to run; `programEntry` by default. */
  readonly entry?: string
  /** The number of the user and group that the process runs as; by default those of this process. */
  readonly user?: number | undefined
}

/** The demo of the repository, as an `entry`. */
export const demoEntry = fileURLToPath(new URL('../../demo/src/demo.js', import.meta.url))
/** The environment variable that names the build of the program. */
export const programVariable = 'ATTESTRY_TEST_PROGRAM'
/** The program's file: the build of `buildProgram.ts`, or the sources without a build. */
export const programEntry =
  process.env[programVariable] ??
  fileURLToPath(new URL('../../packages/attestry/src/attestry.js', import.meta.url))
const limitDefaultMs = 180_000

export function spawnAttestry(
  args: readonly string[],
  { cwd, environment = {}, heapMib, entry = programEntry, user }: SpawnOptions,
): SpawnedAttestry {
  const { PATH = '', HOME = '', NODE_COMPILE_CACHE } = process.env
  const flags = heapMib === undefined ? [] : [`--max-old-space-size=${heapMib}`]
  const child = spawn(process.execPath, [...flags, entry, ...args], {
    cwd,
    env: { PATH, HOME, ...(NODE_COMPILE_CACHE === undefined ? {} : { NODE_COMPILE_CACHE }), ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
    ...(user === undefined ? {} : { uid: user, gid: user }),
  })
  let stdout = ''
  let stderr = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text
  })
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text
  })
  const closed = new Promise<ExitedAttestry>((resolve) => {
    child.once('close', (code) => resolve({ code, stdout, stderr }))
  })
  return {
    child,
    stdout: () => stdout,
    stderr: () => stderr,
    waitForLine: (pattern, limitMs = limitDefaultMs) =>
      new Promise((resolve, reject) => {
        const timer = setTimeout(
          () => reject(new Error(`no line matched ${pattern} within ${limitMs} ms: ${stdout}${stderr}`)),
          limitMs,
        )
        const look = () => {
          const line = stdout.split('\n').find((text) => pattern.test(text))
          if (line === undefined) return
          clearTimeout(timer)
          child.stdout.off('data', look)
          resolve(line)
        }
        child.stdout.on('data', look)
        void closed.then(() => {
          clearTimeout(timer)
          look()
          reject(new Error(`the process ended before a line matched ${pattern}: ${stdout}${stderr}`))
        })
        look()
      }),
    waitForExit: (limitMs = limitDefaultMs) =>
      new Promise((resolve, reject) => {
        const timer = setTimeout(() => {
          child.kill('SIGKILL')
          reject(new Error(`the process did not end within ${limitMs} ms: ${stdout}${stderr}`))
        }, limitMs)
        void closed.then((exited) => {
          clearTimeout(timer)
          resolve(exited)
        })
      }),
  }
}
