import { createContext, useCallback, useId, useMemo, useState, type ReactNode } from 'react'
import styles from './Field.module.css'

/** The line below a group of fields that shows their mistakes. */
export interface MistakesLine {
  readonly id: string
  readonly note: (label: string, mistake: string | undefined) => void
}

export const MistakesContext = createContext<MistakesLine | null>(null)

/** A group of fields above one line for their mistakes, which has its room from the beginning: no mistake moves the page. */
export function FieldMistakes({ children }: { readonly children: ReactNode }) {
  const id = useId()
  const [mistakes, setMistakes] = useState<ReadonlyMap<string, string>>(new Map())
  const note = useCallback((label: string, mistake: string | undefined) => {
    setMistakes((earlier) => {
      if (earlier.get(label) === mistake) return earlier
      const next = new Map(earlier)
      if (mistake === undefined) next.delete(label)
      else next.set(label, mistake)
      return next
    })
  }, [])
  const line = useMemo(() => ({ id, note }), [id, note])
  return (
    <MistakesContext value={line}>
      {children}
      <p id={id} className={styles.mistakes} role="alert">
        {[...mistakes].map(([label, mistake]) => `${label}: ${mistake}`).join(' ')}
      </p>
    </MistakesContext>
  )
}
