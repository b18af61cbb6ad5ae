import { useState } from 'react'

/**
 * The newest value that was known: drawn, dimmed, while the next one is awaited. It answers an earlier question, so
 * nothing else is said by it.
 */
export function useKept<Value>(value: Value | undefined): Value | undefined {
  const [kept, keep] = useState(value)
  if (value !== undefined && value !== kept) keep(value)
  return value ?? kept
}
