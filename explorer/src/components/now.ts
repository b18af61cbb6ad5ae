import { useSyncExternalStore } from 'react'

/** One clock for the page: listeners are called each second, and render anew if their value has changed. */
const listeners = new Set<() => void>()
let timer: ReturnType<typeof setInterval> | null = null

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  timer ??= setInterval(() => {
    for (const each of listeners) each()
  }, 1000)
  return () => {
    listeners.delete(listener)
    if (listeners.size > 0 || timer === null) return
    clearInterval(timer)
    timer = null
  }
}

function nowSeconds(): number {
  return Math.floor(Date.now() / 1000)
}

/**
 * The value of `show` for the present (Unix seconds), kept up to date. It must be a primitive: a component renders anew
 * only when the value differs.
 */
export function useNow<Shown extends string | number | boolean | null>(show: (now: number) => Shown): Shown {
  return useSyncExternalStore(subscribe, () => show(nowSeconds()))
}
