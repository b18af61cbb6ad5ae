/**
 * The form in which names, descriptions and keywords are compared: NFC, lower case, a final sigma like any other. Equal
 * folds mean equal text to a reader who does not mind the case. Folding both sides the same way is what makes
 * "contains, case-insensitively, in any script" a plain substring test.
 */
export function foldText(text: string): string {
  return text.normalize('NFC').toLowerCase().replaceAll('ς', 'σ').normalize('NFC')
}
