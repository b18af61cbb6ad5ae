import { useState } from 'react'

/**
 * The newest value that was known: drawn, dimmed, while the next one is awaited. It answers an earlier question, so
 * nothing else is said by it.
 *
 * @param about no value is kept beyond a change of this text.
 */
export function useKept<Value>(value: Value | undefined, about?: string): Value | undefined {
  const [kept, keep] = useState({ value, about })
  const current = { value: value ?? (kept.about === about ? kept.value : undefined), about }
  if (current.value !== kept.value || about !== kept.about) keep(current)
  return current.value
}
