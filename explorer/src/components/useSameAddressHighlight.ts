import { useEffect } from 'react'

/**
 * While an address is pointed at or has the focus, marks it wherever else it stands on the page. One listener for all:
 * elements carry `data-address`, in lower case, and are marked by `data-highlighted`.
 */
export function useSameAddressHighlight(): void {
  useEffect(() => {
    let current: string | null = null
    const mark = (address: string | null) => {
      if (address === current) return
      for (const element of document.querySelectorAll('[data-highlighted]')) {
        element.removeAttribute('data-highlighted')
      }
      current = address
      if (address === null) return
      for (const element of document.querySelectorAll(`[data-address="${CSS.escape(address)}"]`)) {
        element.setAttribute('data-highlighted', '')
      }
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
