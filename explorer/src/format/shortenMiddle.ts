/** The beginning and the end of an identifier, `0x1234…cdef`; unchanged if shortening would save little. */
export function shortenMiddle(text: string, head = 6, tail = 4): string {
  if (text.length <= head + tail + 2) return text
  return `${text.slice(0, head)}…${text.slice(-tail)}`
}
