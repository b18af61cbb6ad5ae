import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as delay } from 'node:timers/promises'
import { anonymousMegabytes, treeCpuSeconds } from '../anonymousMemory.ts'
import { runtimeSettings } from '../childProcess.ts'

/** The cost of a command of the program. */
export interface CommandFigures {
  readonly seconds: number
  readonly cpuSeconds: number
  /** The highest anonymous memory of its processes. */
  readonly megabytes: number
}

const sampleIntervalMs = 200

/** Runs a command of the program until it ends. Throws with the end of its output if the command fails. */
export async function runCommand(args: readonly string[]): Promise<CommandFigures> {
  const program = new URL('../../packages/attestry/src/attestry.js', import.meta.url).pathname
  const startMs = performance.now()
  const child = spawn(process.execPath, [program, ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { NODE_ENV: 'production', ...runtimeSettings, ...process.env },
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk: Buffer) => (output = (output + chunk.toString()).slice(-2_000)))
  }
  let isEnded = false
  const ended = once(child, 'exit').then(([code, signal]) => {
    isEnded = true
    return String(code ?? signal)
  })
  let megabytes = 0
  let cpuSeconds = 0
  while (!isEnded) {
    megabytes = Math.max(megabytes, anonymousMegabytes(child.pid ?? 0))
    cpuSeconds = Math.max(cpuSeconds, treeCpuSeconds(child.pid ?? 0))
    await Promise.race([delay(sampleIntervalMs), ended])
  }
  const code = await ended
  if (code !== '0') throw new Error(`attestry ${args[0] ?? ''} ended with ${code}: ${output}`)
  return { seconds: (performance.now() - startMs) / 1000, cpuSeconds, megabytes }
}
