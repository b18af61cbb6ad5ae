import type { Page } from 'playwright-core'

const limitMs = 60_000

/**
 * Waits until the page of the address is shown and has its heading, nothing is busy or a placeholder, fonts are loaded and two frames are
 * painted. After a navigation inside the app, the address changes before the page does.
 */
export async function settle(page: Page): Promise<void> {
  await page.waitForFunction(
    () => {
      const router = (window as unknown as RoutedWindow).__TSR_ROUTER__
      if (router === undefined) return false
      const { location, resolvedLocation, status } = router.state
      return (
        status === 'idle' &&
        resolvedLocation?.href === location.href &&
        router.history.location.href === window.location.href.slice(window.location.origin.length) &&
        document.querySelector('main h1') !== null &&
        document.querySelector('main :is([aria-busy="true"], [data-skeleton])') === null
      )
    },
    null,
    { timeout: limitMs },
  )
  await page.evaluate(async () => {
    await document.fonts.ready
    await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))
  })
}

/** The part of the router that says which page is shown; TanStack Router names itself in the window. */
interface RoutedWindow {
  readonly __TSR_ROUTER__?: {
    readonly state: {
      readonly status: 'pending' | 'idle'
      readonly location: { readonly href: string }
      readonly resolvedLocation?: { readonly href: string }
    }
    readonly history: { readonly location: { readonly href: string } }
  }
}
