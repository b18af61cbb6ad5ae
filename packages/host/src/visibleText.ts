/**
 * A text for a terminal: control characters but line ends and tabs, and marks of the direction of writing, are shown as
 * `\\u` and four digits. Names and messages come from strangers, and could otherwise erase or reorder what is shown.
 * JSON with such a text keeps its meaning.
 */
export function visibleText(text: string): string {
  return text.replaceAll(
    // C0 and C1, DEL, line separators, and the marks of the algorithm for bidirectional text (UAX 9).
    /(?![\n\t])[\p{Cc}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/gu,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}
