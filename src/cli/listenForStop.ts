/** Signals by which a person or a supervisor asks a process to stop. */
const stopSignals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/**
 * npm hands a Ctrl-C on to its scripts though the terminal has sent it to them already: what follows this soon is the
 * same press of the keys.
 */
const samePressMs = 400

export interface StopListener {
  /** Aborts when the process was asked to stop. */
  readonly signal: AbortSignal
  dispose(): void
}

/** Listens for a request to stop. A second one means that it shall end at once, and `onImpatience` must do so. */
export function listenForStop(onImpatience: () => void): StopListener {
  const controller = new AbortController()
  let askedMs: number | null = null
  const onSignal = () => {
    const nowMs = performance.now()
    if (askedMs === null) {
      askedMs = nowMs
      controller.abort()
    } else if (nowMs - askedMs > samePressMs) onImpatience()
  }
  for (const name of stopSignals) process.on(name, onSignal)
  return {
    signal: controller.signal,
    dispose: () => {
      for (const name of stopSignals) process.off(name, onSignal)
    },
  }
}
