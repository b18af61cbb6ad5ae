import type { JsonFragment } from '../../../model/recordJson.ts'

/**
 * The JSON text of one member of a fragment whose value is a string, quotes included. Taking it as it stands costs a tenth of parsing
 * the fragment and writing the value again. `,"name":` cannot occur inside a string: there, each quote follows a backslash.
 */
export function readMember(fragment: JsonFragment, name: string): string {
  const start = findValue(fragment, name)
  let end = fragment.indexOf('"', start + 1)
  while (isEscaped(fragment, end)) end = fragment.indexOf('"', end + 1)
  return fragment.slice(start, end + 1)
}

/** The text of a member that is a string without any escape, without its quotes. */
export function readPlainMember(fragment: JsonFragment, name: string): string {
  const start = findValue(fragment, name) + 1
  return fragment.slice(start, fragment.indexOf('"', start))
}

/** The JSON text of the last member, whatever it is. */
export function readLastMember(fragment: JsonFragment, name: string): string {
  return fragment.slice(findValue(fragment, name))
}

function findValue(fragment: string, name: string): number {
  const key = `"${name}":`
  if (fragment.startsWith(key)) return key.length
  const comma = fragment.indexOf(`,${key}`)
  if (comma === -1) throw new TypeError(`a record was read without its ${name}`)
  return comma + 1 + key.length
}

function isEscaped(text: string, quote: number): boolean {
  let backslashes = 0
  while (text[quote - 1 - backslashes] === '\\') backslashes++
  return backslashes % 2 === 1
}
