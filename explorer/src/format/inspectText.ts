import { confusablesOf } from './confusables.ts'

/**
 * Untrusted text from a chain, prepared for display. Characters that reorder, hide or pile up on text are taken out and
 * shown as marks. HTML needs no escaping here: text is only ever put into text nodes.
 */
export interface InspectedText {
  readonly parts: readonly TextPart[]
  /** Characters (UTF-16 code units) that were left off at the end. */
  readonly hiddenLength: number
  /** The reasons why the text may not be what it looks like, each a sentence. */
  readonly warnings: readonly string[]
}

export type TextPart =
  | { readonly kind: 'text'; readonly text: string }
  /** A character that is replaced by a mark: `U+202E`, `right-to-left override`. */
  | { readonly kind: 'mark'; readonly codePoint: string; readonly name: string }

/** @param lengthMax characters that are shown at most. */
export function inspectText(raw: string, lengthMax = Infinity): InspectedText {
  const shown = raw.length > lengthMax ? cutAt(raw, lengthMax) : raw
  const hiddenLength = raw.length - shown.length
  // Most texts; the first use of the rules below takes a phone 50 ms.
  if (/^[ -~]+$/.test(shown)) return { parts: [{ kind: 'text', text: shown }], hiddenLength, warnings: [] }
  const parts: TextPart[] = []
  const found = new Set<string>()
  let text = ''
  let combining = 0
  for (const { character, allowed } of charactersOf(shown)) {
    combining = /^[\p{Mn}\p{Me}]$/u.test(character) ? combining + 1 : 0
    const name = allowed ? null : combining > combiningMax ? 'stacked accent' : nameOfHidden(character)
    if (name === null) {
      text += character
      continue
    }
    if (text !== '') parts.push({ kind: 'text', text })
    text = ''
    const codePoint = formatCodePoint(character)
    found.add(`${codePoint} (${name})`)
    parts.push({ kind: 'mark', codePoint, name })
  }
  if (text !== '') parts.push({ kind: 'text', text })
  return { parts, hiddenLength, warnings: warningsOf(shown, found) }
}

/** The text without the marked characters, for titles and other plain places: one sign replaces each run of marks. */
export function plainText(raw: string, lengthMax = 200): string {
  const { parts, hiddenLength } = inspectText(raw, lengthMax)
  const text = parts
    .map((part, index) => {
      if (part.kind === 'text') return part.text
      return parts[index - 1]?.kind === 'mark' ? '' : '\u{FFFD}'
    })
    .join('')
  return hiddenLength > 0 ? `${text}…` : text
}

/** The number of accents on a letter that scripts need; more accents serve to cover adjacent lines. */
const combiningMax = 4

function warningsOf(text: string, hidden: ReadonlySet<string>): string[] {
  const warnings: string[] = []
  if (hidden.size > 0) {
    const listed = [...hidden].slice(0, 4).join(', ')
    const more = hidden.size > 4 ? ` and ${hidden.size - 4} more` : ''
    warnings.push(`Contains characters that are invisible or reorder the text: ${listed}${more}.`)
  }
  const confusables = confusablesOf(text)
  if (confusables.length > 0) {
    const listed = confusables
      .slice(0, 4)
      .map(({ character, script, looksLike }) => {
        const alike = looksLike === null ? '' : `, looks like ${looksLike}`
        return `${character} (${script} ${formatCodePoint(character)}${alike})`
      })
      .join(', ')
    warnings.push(`Mixes letters of several alphabets that look alike: ${listed}.`)
  }
  return warnings
}

/** Never between the two halves of a character. */
function cutAt(text: string, length: number): string {
  const last = text.charCodeAt(length - 1)
  return text.slice(0, last >= 0xd800 && last <= 0xdbff ? length - 1 : length)
}

interface Character {
  readonly character: string
  /** Part of a sequence that needs the invisible character. */
  readonly allowed: boolean
}

/**
 * Sequences that need invisible characters: joined emoji and emoji with a presentation selector, flags of regions, and
 * joiners between letters of scripts whose shaping depends on them.
 */
const sequence =
  /\u{1F3F4}[\u{E0020}-\u{E007E}]{2,6}\u{E007F}|\p{Extended_Pictographic}(?:[\uFE0E\uFE0F]|\p{Emoji_Modifier})*(?:\u200D\p{Extended_Pictographic}(?:\uFE0F|\p{Emoji_Modifier})*)*|[0-9#*]\uFE0F\u20E3|(?<=[\p{Script=Arabic}\p{Script=Devanagari}\p{Script=Bengali}\p{Script=Malayalam}\p{Script=Sinhala}\p{Script=Kannada}\p{Script=Telugu}\p{Script=Tamil}])[\u200C\u200D](?=[\p{Script=Arabic}\p{Script=Devanagari}\p{Script=Bengali}\p{Script=Malayalam}\p{Script=Sinhala}\p{Script=Kannada}\p{Script=Telugu}\p{Script=Tamil}])/gu

function* charactersOf(text: string): Generator<Character> {
  let end = 0
  for (const match of text.matchAll(sequence)) {
    for (const character of text.slice(end, match.index)) yield { character, allowed: false }
    yield { character: match[0], allowed: true }
    end = match.index + match[0].length
  }
  for (const character of text.slice(end)) yield { character, allowed: false }
}

const namedHidden: Readonly<Record<string, string>> = {
  '\u00AD': 'soft hyphen',
  '\u034F': 'combining grapheme joiner',
  '\u061C': 'Arabic letter mark',
  '\u115F': 'Hangul filler',
  '\u1160': 'Hangul filler',
  '\u180E': 'Mongolian vowel separator',
  '\u200B': 'zero width space',
  '\u200C': 'zero width non-joiner',
  '\u200D': 'zero width joiner',
  '\u200E': 'left-to-right mark',
  '\u200F': 'right-to-left mark',
  '\u2028': 'line separator',
  '\u2029': 'paragraph separator',
  '\u202A': 'left-to-right embedding',
  '\u202B': 'right-to-left embedding',
  '\u202C': 'end of embedding',
  '\u202D': 'left-to-right override',
  '\u202E': 'right-to-left override',
  '\u2060': 'word joiner',
  '\u2066': 'left-to-right isolate',
  '\u2067': 'right-to-left isolate',
  '\u2068': 'first strong isolate',
  '\u2069': 'end of isolate',
  '\u2800': 'blank Braille pattern',
  '\u3164': 'Hangul filler',
  '\uFEFF': 'byte order mark',
  '\uFFA0': 'Hangul filler',
}

/** The name of an invisible or reordering character; null for a visible one. */
function nameOfHidden(character: string): string | null {
  if (character === '\n' || character === '\t' || character === '\r') return null
  const named = namedHidden[character]
  if (named !== undefined) return named
  if (/^\p{Cc}$/u.test(character)) return 'control character'
  if (/^\p{Cs}$/u.test(character)) return 'half of a character'
  if (/^[\p{Cf}\p{Variation_Selector}]$/u.test(character)) return 'invisible character'
  if (/^\p{Default_Ignorable_Code_Point}$/u.test(character)) return 'invisible character'
  return null
}

export function formatCodePoint(character: string): string {
  return `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`
}
