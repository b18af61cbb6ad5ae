import { hash } from 'node:crypto'
import { canonicalValue, type FieldKind } from '@attestry/core/model/fieldValues.ts'

/** Kinds as the tables hold them: never change one. */
export const fieldKindNumber: Readonly<Record<FieldKind, number>> = {
  integer: 0,
  boolean: 1,
  text: 2,
  bytes: 3,
}

const kinds = Object.keys(fieldKindNumber) as readonly FieldKind[]

/** The kind with a number of the tables. */
export function fieldKindOf(number: number): FieldKind {
  return kinds.find((kind) => fieldKindNumber[kind] === number) ?? 'text'
}

/** Under what a path is looked up: the key of its text (`fieldPathText`). */
export function fieldPathKey(pathText: string): Buffer {
  return textKey(pathText)
}

/**
 * Under what a value of a field is looked up by equality: the key of its canonical form. Null for a text that is no
 * value of the kind.
 */
export function fieldValueKey(kind: FieldKind, value: string): Buffer | null {
  const canonical = canonicalValue(kind, value)
  return canonical === null ? null : textKey(canonical)
}

const keyBytes = 16

/**
 * A text of fewer characters than a hash has bytes, all of them Latin-1, is its own key, which takes no time and less
 * room. The key of any other text is the beginning of its SHA-256, as UTF-16, so that unpaired surrogates stay
 * different.
 */
function textKey(text: string): Buffer {
  if (text.length < keyBytes) {
    const latin1 = Buffer.from(text, 'latin1')
    if (latin1.toString('latin1') === text) return latin1
  }
  return hash('sha256', Buffer.from(text, 'utf16le'), 'buffer').subarray(0, keyBytes)
}
