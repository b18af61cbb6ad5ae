import { useEffect } from 'react'

/**
 * While an address is hovered or focused, marks its other occurrences on the page, and differently the lookalikes: an
 * attacker may create an address with the same beginning and end. One listener serves the whole page: elements carry
 * `data-address`, in lower case, and get `data-same` or `data-alike`.
 */
export function useSameAddressHighlight(): void {
  useEffect(() => {
    let current: string | null = null
    const markAll = () => {
      for (const element of document.querySelectorAll('[data-address]')) {
        const other = element.getAttribute('data-address')
        element.toggleAttribute('data-same', current !== null && other === current)
        element.toggleAttribute('data-alike', current !== null && other !== null && isAlike(current, other))
      }
    }
    // Addresses that come while the pointer rests are marked too.
    const observer = new MutationObserver(markAll)
    const mark = (address: string | null) => {
      if (address === current) return
      current = address
      markAll()
      if (address === null) observer.disconnect()
      else
        observer.observe(document.body, { childList: true, subtree: true, attributeFilter: ['data-address'] })
    }
    const follow = ({ target }: Event) => {
      const element = target instanceof Element ? target.closest('[data-address]') : null
      mark(element?.getAttribute('data-address') ?? null)
    }
    const clear = () => mark(null)
    document.addEventListener('pointerover', follow)
    document.addEventListener('focusin', follow)
    document.documentElement.addEventListener('pointerleave', clear)
    return () => {
      document.removeEventListener('pointerover', follow)
      document.removeEventListener('focusin', follow)
      document.documentElement.removeEventListener('pointerleave', clear)
      clear()
    }
  }, [])
}

/** Whether two different addresses share their first and last digits. */
function isAlike(one: string, other: string): boolean {
  return one !== other && one.slice(0, 6) === other.slice(0, 6) && one.slice(-4) === other.slice(-4)
}
