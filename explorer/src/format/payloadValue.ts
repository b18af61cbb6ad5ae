import { isAddress } from './checkFilter.ts'

/** One field of a decoded payload, as the interface answers it. */
export interface PayloadField {
  readonly name: string
  readonly type: string
  readonly value: unknown
}

/** The kind of a payload's value, by its type and content. Only the kind decides how the value is shown. */
export type PayloadValue =
  | { readonly kind: 'address'; readonly address: string }
  | { readonly kind: 'boolean'; readonly isTrue: boolean }
  /** `seconds`: the same number as Unix time, if the field's name suggests a time. */
  | { readonly kind: 'integer'; readonly digits: string; readonly seconds: number | null }
  /** 32 bytes: a hash, or the uid of another attestation. */
  | { readonly kind: 'hash'; readonly hex: string }
  | { readonly kind: 'bytes'; readonly hex: string; readonly length: number }
  | { readonly kind: 'empty' }
  /** A link of the web, as it was written and as a browser reads it. */
  | { readonly kind: 'url'; readonly text: string; readonly href: string; readonly host: string }
  /** A URI that a browser would follow but that leads to no page: `javascript:`, `data:` and the like. */
  | { readonly kind: 'unsafeLink'; readonly text: string; readonly scheme: string }
  | { readonly kind: 'json'; readonly text: string; readonly pretty: string }
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'list'; readonly items: readonly PayloadField[] }
  | { readonly kind: 'tuple'; readonly fields: readonly PayloadField[] }

export function readPayloadValue({ name, type, value }: PayloadField): PayloadValue {
  if (Array.isArray(value)) return readList(name, type, value)
  if (typeof value === 'boolean') return { kind: 'boolean', isTrue: value }
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  const base = type.trim()
  if (base.startsWith('address') && isAddress(text)) return { kind: 'address', address: text }
  if (/^u?int\d*$/.test(base) && /^-?\d+$/.test(text)) {
    return { kind: 'integer', digits: text, seconds: readSeconds(name, text) }
  }
  if (/^bytes\d*$/.test(base) && /^0x([0-9a-f]{2})*$/i.test(text)) return readBytes(text)
  return readText(text)
}

/** An array has items of the type without its last brackets; a tuple names its own fields. */
function readList(name: string, type: string, values: readonly unknown[]): PayloadValue {
  const brackets = /\[\d*\]\s*$/.exec(type)
  if (brackets === null && values.every(isField)) return { kind: 'tuple', fields: values }
  const itemType = brackets === null ? '' : type.slice(0, brackets.index)
  return { kind: 'list', items: values.map((value) => ({ name, type: itemType, value })) }
}

function isField(value: unknown): value is PayloadField {
  return typeof value === 'object' && value !== null && 'name' in value && 'type' in value && 'value' in value
}

function readBytes(hex: string): PayloadValue {
  const length = (hex.length - 2) / 2
  if (length === 0) return { kind: 'empty' }
  return length === 32 ? { kind: 'hash', hex } : { kind: 'bytes', hex, length }
}

const timeWords = new Set(
  'at birthday date deadline end expiration expires expiry on since start time timestamp until'.split(' '),
)
/** 1980 and 2150: a number outside of them is unlikely to be a time. */
const earliestSeconds = 315_532_800
const latestSeconds = 5_680_281_600

function readSeconds(name: string, digits: string): number | null {
  const seconds = Number(digits)
  const lastWord =
    name
      .split(/(?<=[a-z0-9])(?=[A-Z])|[_\s-]+/)
      .at(-1)
      ?.toLowerCase() ?? ''
  if (!timeWords.has(lastWord) || seconds < earliestSeconds || seconds > latestSeconds) return null
  return seconds
}

/** Schemes that lead a browser to a page or name content; any other scheme is text with a colon. */
const actingSchemes = new Set(['javascript', 'data', 'vbscript', 'file', 'blob', 'filesystem'])

function readText(text: string): PayloadValue {
  if (text === '') return { kind: 'empty' }
  // Browsers ignore these characters within a scheme, so they can hide a scheme.
  const bare = text.replaceAll(/[\p{Cc}\p{Cf}\s]/gu, '')
  const scheme = /^([a-z][a-z0-9+.-]*):/i.exec(bare)?.[1]?.toLowerCase()
  if (scheme !== undefined && actingSchemes.has(scheme)) return { kind: 'unsafeLink', text, scheme }
  return readUrl(text) ?? readJson(text) ?? { kind: 'text', text }
}

function readUrl(text: string): PayloadValue | null {
  if (!/^https?:\/\/[^\s]+$/i.test(text) || text.length > 2048) return null
  const url = URL.parse(text)
  // A name before the host (`https://name@host`) is meant to look like the host.
  if (url === null || url.username !== '' || url.password !== '') return null
  return { kind: 'url', text, href: url.href, host: url.host }
}

function readJson(text: string): PayloadValue | null {
  if (!/^\s*[[{]/.test(text)) return null
  try {
    return { kind: 'json', text, pretty: JSON.stringify(JSON.parse(text), null, 2) }
  } catch {
    return null
  }
}

/** Digits in groups of three, of any number; a sign stays in place. Four digits stay together: they may be a year. */
export function groupDigits(digits: string): string {
  if (/^-?\d{1,4}$/.test(digits)) return digits
  return digits.replaceAll(/\B(?=(\d{3})+$)/g, ',')
}
