import { useEffect } from 'react'

/**
 * While an address is pointed at or has the focus, marks it wherever else it stands on the page, and otherwise those that only look
 * like it: who made one that begins and ends the same wants it to be taken for the other. One listener for all: elements carry
 * `data-address`, in lower case, and are marked by `data-same` or `data-alike`.
 */
export function useSameAddressHighlight(): void {
  useEffect(() => {
    let current: string | null = null
    const mark = (address: string | null) => {
      if (address === current) return
      current = address
      for (const element of document.querySelectorAll('[data-address]')) {
        const other = element.getAttribute('data-address')
        element.toggleAttribute('data-same', address !== null && other === address)
        element.toggleAttribute('data-alike', address !== null && other !== null && isAlike(address, other))
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

/** Whether two addresses are not the same, but the same to who reads only the first and the last digits of them. */
function isAlike(one: string, other: string): boolean {
  return one !== other && one.slice(0, 6) === other.slice(0, 6) && one.slice(-4) === other.slice(-4)
}
