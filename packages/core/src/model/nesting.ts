/**
 * Whether a JSON text nests arrays and objects deeper than a limit. The text is not parsed, since a JSON parser creates
 * the objects of every level first. Two million brackets would block the process for a third of a second, and
 * 120 million would take gigabytes.
 * @param text need not be valid JSON.
 */
export function nestsDeeper(text: string, depthMax: number): boolean {
  return exceedsJson(text, { levels: depthMax, values: Number.POSITIVE_INFINITY })
}

/**
 * Whether a JSON text has more levels or more values than a limit, found before a parser makes an object of each: 32 MiB
 * of `{},` take a gigabyte.
 * @param text need not be valid JSON.
 */
export function exceedsJson(
  text: string,
  { levels, values }: { readonly levels: number; readonly values: number },
): boolean {
  let depth = 0
  // Each value but the first of a list or object follows a comma.
  let count = 1
  for (let at = 0; at < text.length; at++) {
    switch (text.charCodeAt(at)) {
      case quote:
        at = endOfString(text, at)
        break
      case openBracket:
      case openBrace:
        depth += 1
        count += 1
        if (depth > levels || count > values) return true
        break
      case comma:
        count += 1
        if (count > values) return true
        break
      case closeBracket:
      case closeBrace:
        depth -= 1
    }
  }
  return false
}

/** A JSON text with each string, in its quotes, and each text between two of them replaced. */
export function replaceInJson(
  json: string,
  ofString: (quoted: string) => string,
  ofOther: (text: string) => string,
): string {
  const parts: string[] = []
  // A regular expression runs out of stack in strings of more than ten million characters.
  for (let at = 0; at < json.length;) {
    const found = json.indexOf('"', at)
    const start = found === -1 ? json.length : found
    const end = found === -1 ? start : endOfString(json, start) + 1
    parts.push(ofOther(json.slice(at, start)), ofString(json.slice(start, end)))
    at = end
  }
  return parts.join('')
}

/** The place of the quote that ends a string; the end of the text without one. Most of JSON is within strings. */
function endOfString(text: string, start: number): number {
  let end = start
  for (;;) {
    end = text.indexOf('"', end + 1)
    if (end === -1) return text.length
    let backslashes = 0
    while (text.charCodeAt(end - 1 - backslashes) === backslash) backslashes += 1
    if (backslashes % 2 === 0) return end
  }
}

const [quote, backslash, comma, openBracket, closeBracket, openBrace, closeBrace] = [
  0x22, 0x5c, 0x2c, 0x5b, 0x5d, 0x7b, 0x7d,
] as const
