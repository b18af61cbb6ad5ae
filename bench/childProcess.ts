import { spawn, type ChildProcess } from 'node:child_process'

/** A ready process of the benchmark. */
export interface ReadyProcess<Ready> {
  readonly ready: Ready
  readonly pid: number
  /** CPU seconds of all threads so far; the process must have called `answerQuestions`. */
  cpuSeconds(): Promise<number>
  /** The answer to a question that the process passed to `answerQuestions`. */
  ask(question: string): Promise<unknown>
  stop(): Promise<void>
}

/** The settings of the runtime that docs/configure.md names, as the image has them. */
export const runtimeSettings = {
  MALLOC_ARENA_MAX: '2',
  MALLOC_MMAP_THRESHOLD_: '131072',
  MALLOC_TRIM_THRESHOLD_: '1048576',
  NODE_OPTIONS: '--v8-pool-size=1',
}

/**
 * Starts a TypeScript or JavaScript file that prints lines of JSON. `readReady` receives the value of each line until
 * it returns other than null; by default the first line counts. Rejects when the process ends before.
 */
export async function startReadyProcess<Ready>(
  file: URL,
  args: readonly string[],
  readReady: (line: unknown) => Ready | null = (line) => line as Ready,
  environment: Readonly<Record<string, string>> = {},
): Promise<ReadyProcess<Ready>> {
  const child = spawn(process.execPath, [...profilingFlags(), file.pathname, ...args], {
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
    // As the program sets it for itself.
    env: { NODE_ENV: 'production', ...environment, ...process.env },
  })
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  return {
    ready: await readUntilReady(child, readReady),
    pid: child.pid ?? 0,
    cpuSeconds: async () => Number(await askProcess(child, 'cpu')),
    ask: (question) => askProcess(child, question),
    stop: () => {
      if (child.exitCode === null) child.kill('SIGTERM')
      return ended
    },
  }
}

/**
 * Called in a process that `startReadyProcess` started: answers `cpuSeconds` and `questions`, one at a time, and ends
 * the process when the benchmark ends.
 */
export function answerQuestions(questions: Readonly<Record<string, () => unknown>> = {}): void {
  process.on('message', (question) => {
    const { user, system } = process.cpuUsage()
    process.send?.(
      question === 'cpu'
        ? (user + system) / 1e6
        : typeof question === 'string'
          ? (questions[question]?.() ?? null)
          : null,
    )
  })
  process.on('disconnect', () => process.exit())
}

/** With `BENCH_PROFILE=FOLDER` every process writes a CPU profile to the folder at its end. */
function profilingFlags(): string[] {
  const folder = process.env['BENCH_PROFILE']
  return folder === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${folder}`]
}

function askProcess(child: ChildProcess, question: string): Promise<unknown> {
  return new Promise((resolve, reject) => {
    child.once('message', resolve)
    child.send(question, (error) => {
      if (error !== null) reject(error)
    })
  })
}

function readUntilReady<Ready>(
  child: ChildProcess,
  readReady: (line: unknown) => Ready | null,
): Promise<Ready> {
  return new Promise((resolve, reject) => {
    let text = ''
    child.stdout?.on('data', (chunk: Buffer) => {
      text += chunk.toString()
      const lines = text.split('\n')
      text = lines.pop() ?? ''
      for (const line of lines) {
        const ready = readReady(JSON.parse(line))
        if (ready !== null) resolve(ready)
      }
    })
    child.once('error', reject)
    child.once('exit', (code) => reject(new Error(`a process of the benchmark ended with ${code}`)))
  })
}
