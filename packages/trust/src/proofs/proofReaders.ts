import { formatCompositeId, parseCompositeId, type CompositeId } from '@attestry/core/model/compositeId.ts'
import {
  parseAddress,
  parseHash,
  parseHex,
  type Address,
  type Hash,
  type Hex,
} from '@attestry/core/model/hex.ts'

/** Reads a value of a proof; `name` is its place. Throws `Unreadable`. */
export type Read<Value> = (value: unknown, name: string) => Value

export type Members = Readonly<Record<string, unknown>>

/** A proof, or the reason why a text holds no proof. The reason continues a sentence that begins with its name. */
export type Parsed<Proof> =
  | { readonly kind: 'proof'; readonly proof: Proof }
  | { readonly kind: 'none'; readonly reason: string }

/** Thrown at the first invalid member of a proof. */
export class Unreadable extends Error {}

/** Reads the JSON object in a text. */
export function readJson<Proof>(text: string, read: (found: Members) => Proof): Parsed<Proof> {
  try {
    return { kind: 'proof', proof: read(membersOf(JSON.parse(text), '')) }
  } catch (error) {
    if (error instanceof Unreadable) return { kind: 'none', reason: error.message }
    if (error instanceof SyntaxError) return { kind: 'none', reason: 'is no JSON object' }
    throw error
  }
}

/**
 * Reads an object with these members. The name of the whole proof is empty.
 * @param others whether further members are refused, or left out.
 */
export function object<Value extends object>(
  members: { readonly [Name in keyof Value]: Read<Value[Name]> },
  others: 'refused' | 'ignored' = 'refused',
): Read<Value> {
  const readers = Object.entries<Read<unknown>>(members)
  return (value, name) => {
    const found = membersOf(value, name)
    const other = Object.keys(found).find((each) => !Object.hasOwn(members, each))
    if (other !== undefined && others === 'refused')
      throw new Unreadable(`has a member ${other.slice(0, 40)} in ${name || 'the proof'} that no proof has`)
    const prefix = name === '' ? '' : `${name}.`
    // Each member was read by the reader of that member.
    return Object.fromEntries(
      readers.map(([member, read]) => [member, read(found[member], `${prefix}${member}`)]),
    ) as Value
  }
}

export function orNull<Value>(read: Read<Value>): Read<Value | null> {
  return (value, name) => (value === null ? null : read(value, name))
}

export function list<Item>(read: Read<Item>): Read<readonly Item[]> {
  return (value, name) => {
    if (!Array.isArray(value)) throw new Unreadable(`has no list in ${name}`)
    return value.map((item, index) => read(item, `${name}[${index}]`))
  }
}

/** A value that was looked at before. */
export function is<const Value>(value: Value): Read<Value> {
  return () => value
}

export function readId(value: unknown, name: string): CompositeId {
  const id = parseCompositeId(readText(value, name))
  if (id.kind !== 'record') throw new Unreadable(`has no composite id in ${name}`)
  return formatCompositeId(id.key)
}

export function readText(value: unknown, name: string): string {
  if (typeof value !== 'string') throw new Unreadable(`has no text in ${name}`)
  return value
}

export function readIndex(value: unknown, name: string): number {
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0) return value
  throw new Unreadable(`has no whole number in ${name}`)
}

export function readAddress(value: unknown, name: string): Address {
  const address = parseAddress(readText(value, name))
  if (address === null) throw new Unreadable(`has no address in ${name}`)
  return address
}

export function readHash(value: unknown, name: string): Hash {
  const hash = parseHash(readText(value, name))
  if (hash === null) throw new Unreadable(`has no 32 bytes in ${name}`)
  return hash
}

export function readBytes(value: unknown, name: string): Hex {
  const bytes = parseHex(readText(value, name))
  if (bytes === null) throw new Unreadable(`has no 0x bytes in ${name}`)
  return bytes
}

export function membersOf(value: unknown, name: string): Members {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new Unreadable(name === '' ? 'is no JSON object' : `has no object in ${name}`)
  }
  // An object of JSON has no other keys than text.
  return value as Members
}
