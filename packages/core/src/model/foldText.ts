/**
 * The form in which names, descriptions and keywords are compared: NFC, lower case, a final sigma like any other.
 * Folding both sides makes "contains, case-insensitively, in any script" a plain substring test.
 */
export function foldText(text: string): string {
  return text.normalize('NFC').toLowerCase().replaceAll('ς', 'σ').normalize('NFC')
}
