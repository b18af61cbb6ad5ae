/**
 * Text without invisible characters that change its appearance: control characters, marks of writing direction,
 * joiners, halves of surrogate pairs. Runs of white space become one space.
 */
export function cleanText(text: string): string {
  return text
    .toWellFormed()
    .replaceAll(/[\p{Cf}\p{Co}\p{Cn}\uFFFD\u115F\u1160\u3164\uFFA0]/gu, '')
    .replaceAll(/\s+/gu, ' ')
    .replaceAll(/\p{Cc}/gu, '')
    .trim()
}
