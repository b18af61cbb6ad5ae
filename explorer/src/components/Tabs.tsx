import { useId, type KeyboardEvent, type ReactNode } from 'react'
import { formatCount } from '../format/formatCount.ts'
import styles from './Tabs.module.css'

export interface Tab<Name extends string> {
  readonly name: Name
  readonly label: string
  /** Shown beside the label. */
  readonly count?: number | undefined
}

export interface TabsProps<Name extends string> {
  readonly label: string
  readonly tabs: readonly Tab<Name>[]
  /** The open tab; the URL should hold it. */
  readonly value: Name
  readonly onChange: (name: Name) => void
  /** The content of the open tab. */
  readonly children: ReactNode
}

/**
 * Panels of which one is open. The Tab key focuses the open tab; arrow keys, Home and End move between the tabs, and
 * Enter opens one. This is the WAI-ARIA pattern with manual activation, since a panel is loaded when it opens.
 */
export function Tabs<Name extends string>({ label, tabs, value, onChange, children }: TabsProps<Name>) {
  const id = useId()
  return (
    <div>
      <div className={styles.list} role="tablist" aria-label={label}>
        {tabs.map(({ name, label: text, count }) => (
          <button
            key={name}
            type="button"
            role="tab"
            id={`${id}-${name}`}
            aria-selected={name === value}
            aria-controls={name === value ? `${id}-panel` : undefined}
            tabIndex={name === value ? 0 : -1}
            className={styles.tab}
            onClick={() => onChange(name)}
            onKeyDown={moveFocus}
          >
            {text}
            {count !== undefined && <span className={styles.count}>{formatCount(count)}</span>}
          </button>
        ))}
      </div>
      <div
        role="tabpanel"
        id={`${id}-panel`}
        aria-labelledby={`${id}-${value}`}
        tabIndex={0}
        className={styles.panel}
      >
        {children}
      </div>
    </div>
  )
}

function moveFocus(event: KeyboardEvent<HTMLElement>): void {
  const tabs = [...(event.currentTarget.parentElement?.children ?? [])]
  const at = tabs.indexOf(event.currentTarget)
  const to = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: -1 }[event.key]
  if (to === undefined) return
  event.preventDefault()
  const next = tabs.at(to % tabs.length)
  if (next instanceof HTMLElement) next.focus()
}
