import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js'

/** A text of payloads that leads to content. */
export interface ContentPointerText {
  /** The field that holds it, as `fieldPathText` writes it. */
  readonly pathText: string
  readonly text: string
  /** The values of the content at the requested path; empty if only the pointer was requested. */
  readonly values: readonly string[]
}

/**
 * Texts of payloads that lead to content, with the values of the content. It may hold very many: as JSON it is its digest,
 * which tells a question from another.
 */
export interface ContentTexts {
  /** By the texts of paths. */
  readonly paths: ReadonlyMap<string, ReadonlyMap<string, readonly string[]>>
  readonly toJSON: () => string
}

export function createContentTexts(pointers: readonly ContentPointerText[]): ContentTexts {
  const paths = new Map<string, Map<string, readonly string[]>>()
  for (const { pathText, text, values } of pointers) {
    const texts = paths.get(pathText) ?? new Map<string, readonly string[]>()
    paths.set(pathText, texts.set(text, [...(texts.get(text) ?? []), ...values]))
  }
  const lines = pointers.map((pointer) => JSON.stringify(pointer)).sort()
  const digest = bytesToHex(sha256(utf8ToBytes(lines.join('\n'))))
  return { paths, toJSON: () => digest }
}
