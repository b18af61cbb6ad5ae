import { spawn, type ChildProcess } from 'node:child_process'

/** A process of the benchmark that has said on its first line of output that it is ready. */
export interface ReadyProcess<Ready> {
  readonly ready: Ready
  readonly pid: number
  stop(): Promise<void>
}

/** Starts a TypeScript file that prints one JSON line when it is ready. Rejects when it ends before. */
export async function startReadyProcess<Ready>(
  file: URL,
  args: readonly string[],
): Promise<ReadyProcess<Ready>> {
  const child = spawn(process.execPath, [file.pathname, ...args], { stdio: ['ignore', 'pipe', 'inherit'] })
  const line = await readFirstLine(child)
  return {
    ready: JSON.parse(line) as Ready,
    pid: child.pid ?? 0,
    stop: () =>
      new Promise((resolve) => {
        child.once('exit', () => resolve())
        child.kill('SIGTERM')
      }),
  }
}

function readFirstLine(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = ''
    child.stdout?.on('data', (chunk: Buffer) => {
      text += chunk.toString()
      const end = text.indexOf('\n')
      if (end >= 0) resolve(text.slice(0, end))
    })
    child.once('error', reject)
    child.once('exit', (code) => reject(new Error(`a process of the benchmark ended with ${code}`)))
  })
}
