import type { JsonFragment } from '../../../model/recordJson.ts'

/** Reads a value from one member of a fragment. */
export type ReadMember = (fragment: JsonFragment) => string

/**
 * Readers of one member of fragments, by its name. Copying a value's text costs a tenth of parsing the fragment and
 * writing the value again. `,"name":` cannot occur inside a string: there, each quote follows a backslash.
 */

/** The JSON text of a member whose value is a string, quotes included. */
export function stringMember(name: string): ReadMember {
  const findValue = valueFinder(name)
  return (fragment) => {
    const start = findValue(fragment)
    let end = fragment.indexOf('"', start + 1)
    while (isEscaped(fragment, end)) end = fragment.indexOf('"', end + 1)
    return fragment.slice(start, end + 1)
  }
}

/** The text of a member that is a string without any escape, without its quotes. */
export function plainMember(name: string): ReadMember {
  const findValue = valueFinder(name)
  return (fragment) => {
    const start = findValue(fragment) + 1
    return fragment.slice(start, fragment.indexOf('"', start))
  }
}

/** The JSON text of the last member, of any type. */
export function lastMember(name: string): ReadMember {
  const findValue = valueFinder(name)
  return (fragment) => fragment.slice(findValue(fragment))
}

function valueFinder(name: string): (fragment: string) => number {
  const key = `"${name}":`
  const nextKey = `,${key}`
  return (fragment) => {
    const comma = fragment.indexOf(nextKey)
    if (comma !== -1) return comma + nextKey.length
    if (fragment.startsWith(key)) return key.length
    throw new TypeError(`a record was read without its ${name}`)
  }
}

function isEscaped(text: string, quote: number): boolean {
  let backslashes = 0
  while (text[quote - 1 - backslashes] === '\\') backslashes++
  return backslashes % 2 === 1
}
