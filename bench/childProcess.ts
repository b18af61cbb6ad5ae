import { spawn, type ChildProcess } from 'node:child_process'

/** A process of the benchmark that has said that it is ready. */
export interface ReadyProcess<Ready> {
  readonly ready: Ready
  readonly pid: number
  /** CPU seconds that it has used so far, in all its threads; it must have called `answerQuestions`. */
  cpuSeconds(): Promise<number>
  /** What it answers to a question of those that it passed to `answerQuestions`. */
  ask(question: string): Promise<unknown>
  stop(): Promise<void>
}

/**
 * Starts a file of TypeScript or JavaScript that prints lines of JSON. `readReady` is handed each line's value until it
 * answers something other than null; by default the first line is what the process says of itself. Rejects when it ends before.
 */
export async function startReadyProcess<Ready>(
  file: URL,
  args: readonly string[],
  readReady: (line: unknown) => Ready | null = (line) => line as Ready,
): Promise<ReadyProcess<Ready>> {
  const child = spawn(process.execPath, [...profilingFlags(), file.pathname, ...args], {
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
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
 * To be called in a process that `startReadyProcess` starts: answers `cpuSeconds` and `questions`, one at a time, and ends when the
 * benchmark does.
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

/** `BENCH_PROFILE=FOLDER` has every process write a CPU profile there when it ends. */
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
