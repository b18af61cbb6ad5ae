import { Tabs as BaseTabs } from '@base-ui/react/tabs'
import type { ReactNode } from 'react'
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

/** Panels of which one is open; arrow keys move between their tabs. */
export function Tabs<Name extends string>({ label, tabs, value, onChange, children }: TabsProps<Name>) {
  return (
    <BaseTabs.Root value={value} onValueChange={(name: Name) => onChange(name)}>
      <BaseTabs.List className={styles.list} aria-label={label}>
        {tabs.map((tab) => (
          <BaseTabs.Tab key={tab.name} value={tab.name} className={styles.tab ?? ''}>
            {tab.label}
            {tab.count !== undefined && <span className={styles.count}>{formatCount(tab.count)}</span>}
          </BaseTabs.Tab>
        ))}
      </BaseTabs.List>
      <BaseTabs.Panel value={value} className={styles.panel ?? ''}>
        {children}
      </BaseTabs.Panel>
    </BaseTabs.Root>
  )
}
