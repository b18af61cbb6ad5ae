import { quoteInput } from './quoteInput.ts'

/** Names a wrong value that a client sent, as the end of a sentence: `null`, `a list`, `'text'`, `12`. */
export function describeInput(value: unknown): string {
  if (value === undefined) return 'missing'
  if (value === null) return 'null'
  if (Array.isArray(value)) return value.length === 0 ? 'an empty list' : 'a list'
  if (typeof value === 'object') return 'an object'
  return typeof value === 'string' ? quoteInput(value) : JSON.stringify(value)
}
