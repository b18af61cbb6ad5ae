import { parseLocalId, type LocalId } from '../../model/compositeId.ts'

/** The parts of a schema's text that extends another schema: the parent's id, and the text that follows. */
export interface ExtendedText {
  readonly parent: LocalId
  readonly own: string
}

/**
 * Reads `@extends <id of a schema>` at the very start of a schema's text, as the documentation of Verax has it
 * ("Schemas", "Inheritance"). Null for a schema without a parent.
 */
export function parseExtends(text: string): ExtendedText | null {
  const [start, id] = /^\s*@extends\s+(0x[\da-f]{64})(?![^\s,(])\s*,?/i.exec(text) ?? []
  const parent = id === undefined ? null : parseLocalId(id)
  return start === undefined || parent === null ? null : { parent, own: text.slice(start.length) }
}
