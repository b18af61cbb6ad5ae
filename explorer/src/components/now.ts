import { useSyncExternalStore } from 'react'
import { onAnswer, serverSeconds } from '../api/serverContact.ts'

/** One clock for the page: listeners are called each second, and render anew if their value has changed. */
const listeners = new Set<() => void>()
let stop: (() => void) | null = null

function tick(): void {
  for (const each of listeners) each()
}

function start(): () => void {
  const timer = setInterval(tick, 1000)
  const endAnswers = onAnswer(tick)
  // The timers of a page that nobody sees rest; it is looked at before the next one.
  document.addEventListener('visibilitychange', tick)
  window.addEventListener('pageshow', tick)
  return () => {
    clearInterval(timer)
    endAnswers()
    document.removeEventListener('visibilitychange', tick)
    window.removeEventListener('pageshow', tick)
  }
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  stop ??= start()
  return () => {
    listeners.delete(listener)
    if (listeners.size > 0) return
    stop?.()
    stop = null
  }
}

/**
 * The value of `show` for the present (Unix seconds, by the clock of the server), kept up to date. It must be a primitive: a component renders anew
 * only when the value differs.
 */
export function useNow<Shown extends string | number | boolean | null>(show: (now: number) => Shown): Shown {
  return useSyncExternalStore(subscribe, () => show(serverSeconds()))
}
