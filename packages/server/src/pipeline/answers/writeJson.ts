import { shareTurn } from '@attestry/core/model/threadTurns.ts'

/**
 * JSON text that stands in an answer as it is: content of strangers, whose numbers have more digits than ours, and rows
 * that are text already.
 */
export class JsonText {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }

  toJSON(): null {
    textsMet += 1
    return null
  }
}

/** How many `JsonText` `JSON.stringify` has met. */
let textsMet = 0

/** A value that is JSON text already, which `writeJson` repeats. */
export function jsonText<Value>(text: string): Value {
  return new JsonText(text) as Value
}

/** The JSON text of a value: what `JSON.stringify` makes of it, but for each `JsonText` in it. */
export function writeJson(value: object): string {
  const before = textsMet
  const text = JSON.stringify(value)
  return textsMet === before ? text : writeAround(value)
}

function writeAround(value: unknown): string {
  if (value instanceof JsonText) return value.text
  if (Array.isArray(value)) return `[${value.map(writeAround).join(',')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const members = Object.entries(value).filter(([, member]) => member !== undefined)
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${writeAround(member)}`).join(',')}}`
}

/** Lists of more items are written item by item. */
const itemsAtOnce = 10

/**
 * The JSON text of the data of an answer. Other work gets its turns between the items of a long list, whose payloads may
 * have megabytes.
 */
export async function writeInTurns(data: object): Promise<string> {
  if (data instanceof JsonText || !Object.values(data).some(isLong)) return writeJson(data)
  const members: string[] = []
  for (const [name, member] of Object.entries(data) as [string, unknown][]) {
    if (member === undefined) continue
    members.push(`${JSON.stringify(name)}:${isLong(member) ? await writeItems(member) : writeAround(member)}`)
  }
  return `{${members.join(',')}}`
}

function isLong(member: unknown): member is readonly object[] {
  return Array.isArray(member) && member.length > itemsAtOnce
}

/** Long texts are not copied here, as `join` would. */
async function writeItems(items: readonly object[]): Promise<string> {
  let text = '['
  for (const item of items) {
    const paused = shareTurn()
    if (paused !== undefined) await paused
    text += (text.length > 1 ? ',' : '') + writeJson(item)
  }
  return `${text}]`
}
