import type { Page } from 'playwright-core'

/**
 * Words that break inside although they are short enough to stand in a line, and texts that must be whole (`data-whole`)
 * but are cut at the edge of what holds them.
 */
export async function findCutTexts(page: Page): Promise<string[]> {
  return await page.evaluate(() => {
    /** Longer ones are hashes, and words that somebody made up to break pages. */
    const lettersMax = 20
    const isShown = (element: Element) =>
      element.checkVisibility({ visibilityProperty: true }) &&
      element.closest('.visuallyHidden, thead') === null
    const found = new Set<string>()
    const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
    const range = document.createRange()
    for (let text = texts.nextNode(); text !== null; text = texts.nextNode()) {
      const { parentElement, textContent } = text
      if (textContent === null || parentElement === null || !isShown(parentElement)) continue
      // A word ends at a space or a bracket: hashes and addresses of files do not count.
      for (const { 0: word, index } of textContent.matchAll(/(?<![^\s([])\p{L}{2,}(?![^\s)\],.:;?!])/gu)) {
        if (word.length > lettersMax) continue
        range.setStart(text, index)
        range.setEnd(text, index + word.length)
        const tops = Array.from(range.getClientRects(), ({ top }) => Math.round(top))
        if (new Set(tops).size > 1) found.add(`“${word}” breaks inside`)
      }
    }
    for (const whole of document.body.querySelectorAll('[data-whole]')) {
      if (!isShown(whole)) continue
      const { right } = whole.getBoundingClientRect()
      for (let holder = whole.parentElement; holder !== null; holder = holder.parentElement) {
        const { overflowX } = getComputedStyle(holder)
        if (
          overflowX !== 'visible' &&
          overflowX !== 'auto' &&
          right > holder.getBoundingClientRect().right + 1
        )
          found.add(`“${whole.textContent}” is cut`)
      }
      if (whole.scrollWidth > whole.clientWidth + 1) found.add(`“${whole.textContent}” is cut`)
    }
    return [...found]
  })
}
