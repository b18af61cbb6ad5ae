import type { RowPlace } from '@attestry/core/index/storedRecords.ts'

/**
 * A place in a listing as text without characters that need escaping: base64url of `timestamp.chainId.position`. To a
 * client the cursor is opaque. It reveals no more than its row, and stays valid whatever is indexed before or after
 * it.
 */
export function formatRowCursor({ timestamp, chainId, position }: RowPlace): string {
  return Buffer.from(`${timestamp}.${chainId}.${position}`).toString('base64url')
}

/** The place that a cursor names; null if `formatRowCursor` makes no such text. */
export function parseRowCursor(text: string): RowPlace | null {
  if (text.length > cursorLengthMax || !/^[\w-]+$/.test(text)) return null
  const parts = /^([0-9]+)\.([0-9]+)\.([0-9]+)$/.exec(Buffer.from(text, 'base64url').toString())
  if (parts === null) return null
  const [timestamp = 0, chainId = 0, position = 0] = parts.slice(1).map(Number)
  const place = { timestamp, chainId, position }
  // Each place has one text: a text with leading zeros, or stray bits in its last character, is not a cursor.
  return Object.values(place).every(Number.isSafeInteger) && formatRowCursor(place) === text ? place : null
}

/** Three numbers of at most 16 digits and two dots, in base64. */
const cursorLengthMax = 67
