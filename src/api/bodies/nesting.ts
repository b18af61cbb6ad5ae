/**
 * Whether a JSON text nests arrays and objects deeper than a limit. The text is not parsed: a parser of JSON makes
 * objects of each level first, so that two million brackets stop a process for a third of a second.
 * @param text need not be valid JSON.
 */
export function nestsDeeper(text: string, depthMax: number): boolean {
  let depth = 0
  let isInString = false
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (isInString) {
      if (code === backslash) at++
      else if (code === quote) isInString = false
    } else if (code === quote) isInString = true
    else if (code === openBracket || code === openBrace) {
      depth += 1
      if (depth > depthMax) return true
    } else if (code === closeBracket || code === closeBrace) depth -= 1
  }
  return false
}

const [quote, backslash, openBracket, closeBracket, openBrace, closeBrace] = [
  0x22, 0x5c, 0x5b, 0x5d, 0x7b, 0x7d,
]
