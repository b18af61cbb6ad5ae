/** A letter that may be mistaken for another. */
export interface Confusable {
  readonly character: string
  /** The alphabet of the letter. */
  readonly script: string
  /** The Latin letter that it resembles, if known. */
  readonly looksLike: string | null
}

/** Alphabets with letters that resemble letters of other alphabets. */
const scripts = [
  ['Cyrillic', /\p{Script=Cyrillic}/u],
  ['Greek', /\p{Script=Greek}/u],
  ['Armenian', /\p{Script=Armenian}/u],
  ['Cherokee', /\p{Script=Cherokee}/u],
  ['Georgian', /\p{Script=Georgian}/u],
] as const

/** Letters of other alphabets by the Latin ones that they look like: the common part of Unicode's confusables. */
const lookalikes = new Map(
  Object.entries({
    // Cyrillic
    ...{ а: 'a', с: 'c', е: 'e', һ: 'h', і: 'i', ј: 'j', ӏ: 'l', о: 'o', р: 'p', ԛ: 'q', ѕ: 's', у: 'y' },
    ...{ ԝ: 'w', х: 'x', ѵ: 'v', А: 'A', В: 'B', С: 'C', Е: 'E', Н: 'H', І: 'I', Ј: 'J', К: 'K', М: 'M' },
    ...{ О: 'O', Р: 'P', Ѕ: 'S', Т: 'T', Х: 'X', У: 'Y', ԁ: 'd', ԍ: 'g', Ԝ: 'W' },
    // Greek
    ...{ α: 'a', ο: 'o', ν: 'v', ρ: 'p', υ: 'u', ι: 'i', κ: 'k', Α: 'A', Β: 'B', Ε: 'E', Ζ: 'Z', Η: 'H' },
    ...{ Ι: 'I', Κ: 'K', Μ: 'M', Ν: 'N', Ο: 'O', Ρ: 'P', Τ: 'T', Υ: 'Y', Χ: 'X' },
    // Armenian
    ...{ օ: 'o', ո: 'n', ս: 'u', հ: 'h', Տ: 'S', Լ: 'L', ց: 'g', զ: 'q', յ: 'j' },
  }),
)

/**
 * The letters of a text that may deceive:
 * - letters of another alphabet within a Latin word;
 * - a word among Latin words made wholly of letters of another alphabet that look Latin;
 * - Latin letters in mathematical or full-width form.
 * A text in a single other alphabet has none.
 */
export function confusablesOf(text: string): Confusable[] {
  const words = text.match(/[\p{L}\p{M}]+/gu) ?? []
  const hasLatin = words.some((word) => /\p{Script=Latin}/u.test(word))
  const found = new Map<string, Confusable>()
  for (const word of words) {
    const isMixed = /\p{Script=Latin}/u.test(word)
    for (const character of word) {
      const looksLike = lookalikes.get(character) ?? null
      const script = scriptOf(character)
      if (script !== null) {
        if (isMixed || (hasLatin && isLookalike(word))) found.set(character, { character, script, looksLike })
        continue
      }
      const plain = character.normalize('NFKC')
      if (plain !== character && /^[A-Za-z]$/.test(plain)) {
        found.set(character, { character, script: 'styled', looksLike: plain })
      }
    }
  }
  return [...found.values()]
}

function isLookalike(word: string): boolean {
  return [...word].every((character) => lookalikes.has(character))
}

function scriptOf(character: string): string | null {
  return scripts.find(([, pattern]) => pattern.test(character))?.[0] ?? null
}
