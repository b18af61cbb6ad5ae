import { parseCompositeId, parseLocalId, type LocalId, type RecordKey } from './compositeId.ts'
import { foldText } from './foldText.ts'
import { parseAddress, parseHash, type Address, type Hash } from './hex.ts'

/**
 * The class of a keyword, by its shape (docs/api.md, "Search"). Each class has an index. Keywords of every class are
 * also compared with `indexingValue`s and with textual recipients.
 */
export interface ClassifiedKeyword {
  /** Trimmed and NFC. Never empty. */
  readonly text: string
  readonly target: KeywordTarget
}

export type KeywordTarget =
  /** 1. A composite id; `key` is null if no such record can be indexed. */
  | { readonly kind: 'compositeId'; readonly key: RecordKey | null }
  /** 2. An address. */
  | { readonly kind: 'address'; readonly address: Address }
  /** 3. 64 digits: an EAS uid or the hash of a creating transaction. */
  | { readonly kind: 'hash'; readonly hash: Hash }
  /**
   * 4. Other `0x` digits: a local id exactly, or its beginning; with six digits or more also the beginning of an
   *    address. `digits` is lower case without `0x`, and is empty for a bare `0x`, which finds nothing.
   */
  | { readonly kind: 'hexPrefix'; readonly digits: string }
  /** 5. Decimal digits: the local id with that number, and schemas by text. `localId` is null beyond a uint64. */
  | { readonly kind: 'number'; readonly localId: LocalId | null; readonly folded: string }
  /** 6. Schemas whose name or description contains the keyword; `folded` by `foldText`. */
  | { readonly kind: 'text'; readonly folded: string }

/** The least number of hexadecimal digits that are looked up as the beginning of an address. */
export const addressPrefixDigitsMin = 6

/** Longest keyword, in characters (UTF-16 code units) after trimming and normalising. */
export const keywordLengthMax = 256

/** Classifies a keyword; null if it is empty after trimming. The caller has checked length and NUL. */
export function classifyKeyword(raw: string): ClassifiedKeyword | null {
  const text = normalizeKeyword(raw)
  return text === '' ? null : { text, target: classify(text) }
}

/** The form in which a keyword's length counts: trimmed, NFC. */
export function normalizeKeyword(raw: string): string {
  return raw.trim().normalize('NFC')
}

function classify(text: string): KeywordTarget {
  const id = parseCompositeId(text)
  if (id.kind === 'record') return { kind: 'compositeId', key: id.key }
  if (id.kind === 'unindexable') return { kind: 'compositeId', key: null }
  const address = parseAddress(text)
  if (address !== null) return { kind: 'address', address }
  const hash = parseHash(text)
  if (hash !== null) return { kind: 'hash', hash }
  if (/^0x[0-9a-f]*$/i.test(text)) return { kind: 'hexPrefix', digits: text.slice(2).toLowerCase() }
  if (/^[0-9]+$/.test(text)) {
    // Twenty digits hold any uint64; longer strings are not worth parsing.
    const significant = text.replace(/^0+(?=.)/, '')
    const localId = significant.length > 20 ? null : parseLocalId(`0x${BigInt(significant).toString(16)}`)
    return { kind: 'number', localId, folded: foldText(text) }
  }
  return { kind: 'text', folded: foldText(text) }
}

/**
 * The form in which an `indexingValue` or a textual recipient is compared with a keyword: exactly, without trimming;
 * two hexadecimal strings regardless of case.
 */
export function valueMatchKey(value: string): string {
  return /^0x[0-9a-f]*$/i.test(value) ? value.toLowerCase() : value.normalize('NFC')
}
