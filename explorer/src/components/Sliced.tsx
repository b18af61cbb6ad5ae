import { useDeferredValue, type ReactNode } from 'react'

/**
 * Renders new content in slices of 5 ms, between which the browser answers the reader. Meanwhile the earlier content
 * stands there. Answers to queries are otherwise rendered in one task, which blocks a phone for a quarter of a second.
 */
export function Sliced({ children }: { readonly children: ReactNode }) {
  return useDeferredValue(children)
}
