import { useEffect, useState } from 'react'
import { resolveColours } from './resolveColours.ts'

/**
 * Colour tokens in a form that a canvas accepts, updated when the theme changes. `names` are custom properties and must
 * not change.
 */
export function useThemeColours(names: readonly string[]): Readonly<Record<string, string>> {
  const [colours, setColours] = useState(() => resolveColours(names))
  const key = names.join()
  useEffect(() => {
    const read = () => setColours(resolveColours(key.split(',')))
    const media = window.matchMedia('(prefers-color-scheme: dark)')
    const observer = new MutationObserver(read)
    observer.observe(document.documentElement, { attributes: true, attributeFilter: ['data-theme'] })
    media.addEventListener('change', read)
    return () => {
      observer.disconnect()
      media.removeEventListener('change', read)
    }
  }, [key])
  return colours
}
