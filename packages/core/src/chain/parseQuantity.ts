/**
 * A JSON-RPC quantity (`0x` and hexadecimal digits, or a JSON number as some endpoints send) as a number from 0 to
 * `max`; null for any other value. Leading zeros are accepted, since several endpoints send them.
 */
export function parseQuantity(value: unknown, max: number): number | null {
  if (typeof value === 'number')
    return Number.isSafeInteger(value) && value >= 0 && value <= max ? value : null
  if (typeof value !== 'string' || value.length < 3 || value.length > 66) return null
  if (value.charCodeAt(0) !== 48 || (value.charCodeAt(1) | 32) !== 120) return null
  // Reads digit by digit, using only numbers, since this runs several times per log. Beyond `max` it returns before
  // precision is lost.
  let result = 0
  for (let i = 2; i < value.length; i++) {
    const digit = hexDigit(value.charCodeAt(i))
    if (digit < 0) return null
    result = result * 16 + digit
    if (result > max) return null
  }
  return result
}

/** A block number, log index or other small quantity as the hexadecimal text that JSON-RPC wants. */
export function formatQuantity(value: number): string {
  return `0x${value.toString(16)}`
}

/** The value of a hexadecimal digit's character code; -1 if it is not a hexadecimal digit. */
function hexDigit(code: number): number {
  if (code >= 48 && code <= 57) return code - 48
  const lower = code | 32
  return lower >= 97 && lower <= 102 ? lower - 87 : -1
}
