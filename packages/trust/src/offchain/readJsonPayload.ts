import type { NamedPayloadValue } from '@attestry/core/model/decodedPayload.ts'

/**
 * The members of a JSON object as values; `type` is JSON's (`number`, `object`, …). A value that is no text, truth
 * value or number stands as its JSON text. Null if the text is no JSON object.
 */
export function readJsonPayload(text: string): readonly NamedPayloadValue[] | null {
  try {
    const parsed: unknown = JSON.parse(text)
    if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed)) return null
    return Object.entries(parsed).map(([name, value]: [string, unknown]) => {
      if (typeof value === 'string' || typeof value === 'boolean') return { name, type: typeof value, value }
      const type = value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value
      return { name, type, value: JSON.stringify(value) }
    })
  } catch {
    // No JSON, or JSON that nests deeper than it can be written.
    return null
  }
}
