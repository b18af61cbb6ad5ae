import type { Page } from 'playwright-core'

/** The markup of elements that overflow the page horizontally; empty when the page needs no horizontal scrolling. */
export async function findOverflow(page: Page): Promise<string[]> {
  return await page.evaluate(async () => {
    // Charts redraw in the frame after their container changes.
    for (let frame = 0; frame < 3; frame++) await new Promise((done) => requestAnimationFrame(done))
    const { documentElement } = document
    if (documentElement.scrollWidth <= documentElement.clientWidth) return []
    const beyond = [...document.body.querySelectorAll('*')].filter(
      (element) => element.getBoundingClientRect().right > documentElement.clientWidth + 1,
    )
    const found = beyond.slice(0, 5).map((element) => element.outerHTML.slice(0, 160))
    return [`${documentElement.scrollWidth} px in ${documentElement.clientWidth} px`, ...found]
  })
}
