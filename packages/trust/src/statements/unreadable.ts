import { isJsonObject, type JsonObject } from '@attestry/core/model/jsonObject.ts'

/** Thrown while input is read, at its first wrong member. The message is a sentence without its full stop. */
export class UnreadableInput extends Error {}

export type Members = JsonObject

/**
 * The members of a JSON object.
 * @throws UnreadableInput
 */
export function readMembers(value: unknown, name: string): Members {
  if (isJsonObject(value)) return value
  throw new UnreadableInput(`${name} is ${value === undefined ? 'missing' : 'no JSON object'}`)
}

/** An object with its names begun in lower case: programs in Go write `ChainId` for `chainId`. */
export function withLowerNames(members: Members): Members {
  const entries = Object.entries(members).map(([name, value]): [string, unknown] => {
    const lower = name.slice(0, 1).toLowerCase() + name.slice(1)
    return [lower in members ? name : lower, value]
  })
  return Object.fromEntries(entries)
}

/** @throws UnreadableInput */
export function readText(value: unknown, name: string): string {
  if (typeof value === 'string') return value
  throw new UnreadableInput(`${name} is ${value === undefined ? 'missing' : 'no text'}`)
}

/** @throws UnreadableInput */
export function readList(value: unknown, name: string): readonly unknown[] {
  if (Array.isArray(value)) return value
  throw new UnreadableInput(`${name} is ${value === undefined ? 'missing' : 'no list'}`)
}

/** @throws UnreadableInput */
export function parseJson(text: string, name: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new UnreadableInput(`${name} is not valid JSON`)
  }
}
