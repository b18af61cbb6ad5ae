import { useEffect, useRef, useState, type ReactNode } from 'react'
import { Card } from './Card.tsx'
import styles from './WhenNear.module.css'

export interface WhenNearProps {
  /** Heads the place until then, so that a reader who moves by headings comes near as well. */
  readonly title: string
  readonly children: ReactNode
}

/**
 * Parts far down a page: they ask their questions and are drawn when the reader comes within half a screen of them. A
 * phone would otherwise be blocked by parts that most readers never reach.
 */
export function WhenNear({ title, children }: WhenNearProps) {
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
  if (isNear) return children
  return (
    <Card title={title} className={styles.card}>
      <div ref={place} className={styles.place} />
    </Card>
  )
}
