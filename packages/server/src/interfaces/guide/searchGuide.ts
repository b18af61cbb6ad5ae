import type { GuidePage, GuideSection } from './readGuide.ts'

/** A section that a search found. */
export interface GuideHit {
  readonly page: GuidePage
  readonly section: GuideSection
  /** A part of the text around the first word that was found. */
  readonly excerpt: string
}

const wordsMax = 8
const excerptLength = 200

/** The words of a search, in lower case. */
export function wordsOf(query: string): readonly string[] {
  const words = query.toLowerCase().split(/\s+/)
  return [...new Set(words)].filter((word) => word !== '').slice(0, wordsMax)
}

/**
 * Finds the sections that contain every word, in the title of the page, their heading or their text. Sections whose
 * heading has the words come first, then pages whose title has them.
 */
export function searchGuide(pages: Iterable<GuidePage>, words: readonly string[]): readonly GuideHit[] {
  const hits: (GuideHit & { readonly score: number })[] = []
  if (words.length === 0) return hits
  for (const page of pages) {
    for (const section of page.sections) {
      const score = scoreOf(page, section, words)
      if (score > 0) hits.push({ page, section, excerpt: excerptOf(section.text, words), score })
    }
  }
  return hits.sort((a, b) => b.score - a.score)
}

/** 0 if a word is missing, or if only the title of the page has words. */
function scoreOf(page: GuidePage, section: GuideSection, words: readonly string[]): number {
  const title = section.title.toLowerCase()
  const text = section.text.toLowerCase()
  const pageTitle = page.title.toLowerCase()
  let score = 0
  let isFound = false
  for (const word of words) {
    const own = weigh(title, word, 12) + (text.includes(word) ? 1 : 0)
    const outer = weigh(pageTitle, word, 4)
    if (own + outer === 0) return 0
    isFound ||= own > 0
    score += own + outer
  }
  return isFound ? score : 0
}

function weigh(title: string, word: string, weight: number): number {
  if (!title.includes(word)) return 0
  return wholeWord(title, word) ? 2 * weight : weight
}

function wholeWord(text: string, word: string): boolean {
  return ` ${text.replaceAll(/[^\p{L}\p{N}]+/gu, ' ')} `.includes(` ${word} `)
}

function excerptOf(text: string, words: readonly string[]): string {
  const lower = text.toLowerCase()
  const places = words.map((word) => lower.indexOf(word)).filter((at) => at !== -1)
  const from = Math.max(0, Math.min(...places, lower.length) - 60)
  const start = places.length === 0 || from === 0 ? 0 : text.indexOf(' ', from) + 1
  const end =
    text.length - start <= excerptLength ? text.length : text.lastIndexOf(' ', start + excerptLength)
  return `${start === 0 ? '' : '… '}${text.slice(start, end)}${end === text.length ? '' : ' …'}`
}
