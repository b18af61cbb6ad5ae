import type { Page } from 'playwright-core'

/** Faults of a page, in the order of their occurrence. */
export interface PageWatch {
  readonly problems: readonly string[]
  /** The sum of layout shifts so far, as the browser counts them. */
  layoutShift(): Promise<number>
}

export interface WatchOptions {
  /** Answers that the page is expected to get and live with; browsers report them as errors of their own accord. */
  readonly expectedStatuses?: readonly number[]
  /** Whether requests are expected to fail. */
  readonly offline?: boolean
}

/**
 * Records console errors, which include violations of the Content-Security-Policy, requests to other origins, and
 * parameters that the service ignored. To be called before the page is opened.
 */
export async function watchPage(page: Page, origin: string, options: WatchOptions = {}): Promise<PageWatch> {
  const { expectedStatuses = [], offline = false } = options
  const problems: string[] = []
  page.on('console', (message) => {
    if (message.type() !== 'error' && message.type() !== 'warning') return
    const text = message.text()
    const status = /^Failed to load resource: the server responded with a status of (\d+)/.exec(text)?.[1]
    if (status !== undefined && expectedStatuses.includes(Number(status))) return
    if (offline && text.startsWith('Failed to load resource: net::')) return
    problems.push(`console: ${text} (${message.location().url})`)
  })
  page.on('pageerror', (error) => problems.push(`uncaught: ${error.message}`))
  page.on('request', (request) => {
    const url = new URL(request.url())
    if (url.origin !== origin) problems.push(`request to ${request.url().slice(0, 200)}`)
  })
  page.on('response', (response) => {
    const ignored = response.headers()['x-attestry-ignored']
    if (ignored !== undefined)
      problems.push(`ignored parameters: ${ignored} (${response.url().slice(0, 200)})`)
  })
  page.on('popup', () => problems.push('a window was opened'))
  page.on('dialog', (dialog) => {
    problems.push(`dialog: ${dialog.message()}`)
    void dialog.dismiss()
  })
  await page.addInitScript(() => {
    const shifts = { sum: 0 }
    Object.assign(window, { attestryShifts: shifts })
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) {
        const { value, hadRecentInput } = entry as PerformanceEntry & {
          readonly value: number
          readonly hadRecentInput: boolean
        }
        if (!hadRecentInput) shifts.sum += value
      }
    }).observe({ type: 'layout-shift', buffered: true })
  })
  return {
    problems,
    layoutShift: () =>
      page.evaluate(async () => {
        // The browser reports a shift after the frame in which it happened.
        for (let frame = 0; frame < 3; frame++) await new Promise((done) => requestAnimationFrame(done))
        return (window as unknown as ShiftWindow).attestryShifts.sum
      }),
  }
}

interface ShiftWindow {
  readonly attestryShifts: { readonly sum: number }
}
