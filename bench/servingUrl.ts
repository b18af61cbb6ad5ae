/** The URL of the API in the line of the program's log that says where it is; null for any other line. */
export function servingUrl(line: unknown): string | null {
  const { msg, url } = line as { msg?: unknown; url?: unknown }
  return msg === 'serving' && typeof url === 'string' ? url : null
}
