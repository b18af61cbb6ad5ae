/** Signals by which a person or a supervisor asks a process to stop. */
export const stopSignals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/**
 * npm forwards a Ctrl-C that the terminal has already sent to its script: a second signal this soon is the same key
 * press.
 */
const samePressMs = 400

/**
 * Time limit from the first signal to the end of the process. Stopping takes well below two seconds. The limit matters
 * on an overloaded machine, inside a long database statement, or if the reader of standard output does not read.
 */
const stopLimitMs = 5_000

export interface StopListener {
  /** Aborts at the first signal. */
  readonly signal: AbortSignal
  /** Stops listening. The limit of a stop that has begun still holds. */
  dispose(): void
}

/**
 * Listens for the signals that ask the process to stop. At the second signal, and when the limit has passed, the
 * process ends at once with the exit status that the signal has by default.
 */
export function listenForStop(): StopListener {
  const controller = new AbortController()
  let askedMs: number | null = null
  const onSignal = (name: NodeJS.Signals) => {
    const nowMs = performance.now()
    if (askedMs === null) {
      askedMs = nowMs
      setTimeout(() => endBySignal(name), stopLimitMs).unref()
      controller.abort()
    } else if (nowMs - askedMs > samePressMs) endBySignal(name)
  }
  for (const name of stopSignals) process.on(name, onSignal)
  return {
    signal: controller.signal,
    dispose: () => {
      for (const name of stopSignals) process.off(name, onSignal)
    },
  }
}

/**
 * Runs the listeners of `exit`, then ends the process by the default action of the signal: `process.exit` would wait
 * for a thread that is inside a statement of the database. A crash at any point leaves the database valid.
 */
function endBySignal(name: NodeJS.Signals): void {
  process.once('exit', () => {
    process.removeAllListeners(name)
    process.kill(process.pid, name)
  })
  process.exit()
}

/** Runs until the end of `run`, whose signal aborts when the process is asked to stop. */
export async function untilStopped(run: (signal: AbortSignal) => Promise<void>): Promise<void> {
  const stop = listenForStop()
  try {
    await run(stop.signal)
  } finally {
    stop.dispose()
  }
}
