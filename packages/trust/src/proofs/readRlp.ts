import type { Hex } from '@attestry/core/model/hex.ts'

/** A byte string, or a list of items. */
export type RlpItem = Hex | readonly RlpItem[]

export function isRlpList(item: RlpItem | null | undefined): item is readonly RlpItem[] {
  return typeof item === 'object' && item !== null
}

/** Nesting beyond that of any node, header or receipt. */
const depthMax = 16

/**
 * The item that bytes encode in RLP; null if the bytes are not RLP, or not the canonical encoding of the item: only
 * that is valid on a chain.
 */
export function readRlp(bytes: Hex): RlpItem | null {
  const read = readItem(bytes, 2, bytes.length, 0)
  return read !== null && read.end === bytes.length ? read.item : null
}

interface ReadItem {
  readonly item: RlpItem
  /** The place after the item among the digits. */
  readonly end: number
}

function readItem(text: string, start: number, limit: number, depth: number): ReadItem | null {
  if (start + 2 > limit || depth > depthMax) return null
  const first = byteAt(text, start)
  if (first < 0x80) return { item: `0x${text.slice(start, start + 2)}` as Hex, end: start + 2 }
  const isList = first >= 0xc0
  const payload = readLength(text, start, limit, isList ? first - 0xc0 : first - 0x80)
  if (payload === null || payload.end > limit) return null
  const { from, end } = payload
  if (isList) {
    const items = readItems(text, from, end, depth + 1)
    return items === null ? null : { item: items, end }
  }
  // A byte below 0x80 stands for itself.
  if (end - from === 2 && byteAt(text, from) < 0x80) return null
  return { item: `0x${text.slice(from, end)}` as Hex, end }
}

function readItems(text: string, from: number, end: number, depth: number): readonly RlpItem[] | null {
  const items: RlpItem[] = []
  for (let at = from; at < end;) {
    const read = readItem(text, at, end, depth)
    if (read === null) return null
    items.push(read.item)
    at = read.end
  }
  return items
}

/** The ends of an item's payload. `short` is its length, or 55 and the number of bytes of its length. */
function readLength(
  text: string,
  start: number,
  limit: number,
  short: number,
): { readonly from: number; readonly end: number } | null {
  if (short <= 55) return { from: start + 2, end: start + 2 + 2 * short }
  const from = start + 2 + 2 * (short - 55)
  if (from > limit) return null
  const length = Number.parseInt(text.slice(start + 2, from), 16)
  const isMinimal = length > 55 && byteAt(text, start + 2) !== 0
  return isMinimal && Number.isSafeInteger(length) ? { from, end: from + 2 * length } : null
}

function byteAt(text: string, at: number): number {
  return Number.parseInt(text.slice(at, at + 2), 16)
}
