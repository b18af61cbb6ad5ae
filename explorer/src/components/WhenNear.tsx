import { useEffect, useRef, useState, type ReactNode } from 'react'
import styles from './WhenNear.module.css'

/**
 * Parts far down a page: they ask their questions and are drawn when the reader comes within half a screen of them. A
 * phone would otherwise be blocked by parts that most readers never reach.
 */
export function WhenNear({ children }: { readonly children: ReactNode }) {
  const place = useRef<HTMLDivElement>(null)
  const [isNear, setNear] = useState(false)
  useEffect(() => {
    if (place.current === null) return undefined
    const observer = new IntersectionObserver(
      (entries) => {
        if (entries.some(({ isIntersecting }) => isIntersecting)) setNear(true)
      },
      { rootMargin: '50% 0px' },
    )
    observer.observe(place.current)
    return () => observer.disconnect()
  }, [isNear])
  return isNear ? children : <div ref={place} className={styles.place} />
}
