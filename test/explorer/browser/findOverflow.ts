import type { Page } from 'playwright-core'

/** Elements that stand out of the page to the side, by their markup; none where the page needs no scrolling to the side. */
export async function findOverflow(page: Page): Promise<string[]> {
  return await page.evaluate(async () => {
    // What follows its box, as a chart does, is drawn anew in the frame after the box's change.
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
