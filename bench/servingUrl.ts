/** The URL of the API in a line of the program's log; null for other lines. */
export function servingUrl(line: unknown): string | null {
  const { msg, url } = line as { msg?: unknown; url?: unknown }
  return msg === 'serving' && typeof url === 'string' ? url : null
}
