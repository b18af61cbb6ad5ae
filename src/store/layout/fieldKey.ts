import { hash } from 'node:crypto'
import { canonicalValue, type FieldKind } from '../../model/fieldValues.ts'

/** Kinds as the tables hold them: never change one. */
export const fieldKindNumber: Readonly<Record<FieldKind, number>> = {
  integer: 0,
  boolean: 1,
  text: 2,
  bytes: 3,
}

/** Under what a path is looked up: the first 16 bytes of the SHA-256 of its text (`fieldPathText`). */
export function fieldPathKey(pathText: string): Buffer {
  return textKey(pathText)
}

/**
 * Under what a value of a field is looked up by equality: the first 16 bytes of the SHA-256 of its canonical form. Null
 * for a text that is no value of the kind.
 */
export function fieldValueKey(kind: FieldKind, value: string): Buffer | null {
  const canonical = canonicalValue(kind, value)
  return canonical === null ? null : textKey(canonical)
}

/** UTF-16, so that unpaired surrogates stay different. */
function textKey(text: string): Buffer {
  return hash('sha256', Buffer.from(text, 'utf16le'), 'buffer').subarray(0, 16)
}
