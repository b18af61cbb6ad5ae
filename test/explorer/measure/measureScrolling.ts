import type { Browser } from 'playwright-core'
import { settle } from '../browser/settle.ts'

export interface ScrollFigures {
  readonly frames: number
  /** Frames later than 1.5 frame times after the previous one. */
  readonly dropped: number
  /** The longest distance between two frames, in milliseconds. */
  readonly longestMs: number
}

const frameMs = 1000 / 60

/** Scrolls a page from top to bottom and back, one step per frame, and counts late frames. */
export async function measureScrolling(browser: Browser, url: string): Promise<ScrollFigures> {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 } })
  const page = await context.newPage()
  await page.goto(url)
  await settle(page)
  const distances = await page.evaluate(
    () =>
      new Promise<number[]>((resolve) => {
        const found: number[] = []
        const bottom = document.documentElement.scrollHeight - window.innerHeight
        const stepPx = 40
        let position = 0
        let direction = 1
        let earlier = 0
        const step = (now: number): void => {
          if (earlier > 0) found.push(now - earlier)
          earlier = now
          position += stepPx * direction
          if (position >= bottom) direction = -1
          if (position <= 0) return resolve(found)
          window.scrollTo({ top: position, behavior: 'instant' })
          requestAnimationFrame(step)
        }
        requestAnimationFrame(step)
      }),
  )
  await context.close()
  return {
    frames: distances.length,
    dropped: distances.filter((distance) => distance > frameMs * 1.5).length,
    longestMs: Math.max(0, ...distances),
  }
}
