import { Snippet } from '../../components/Snippet.tsx'
import type { CountCode } from './countedBy.ts'
import styles from './StatsPage.module.css'

export interface CountQueryProps {
  readonly code: CountCode
  /** The element that shows the chart on a page of another site; absent for a list. */
  readonly frame?: string
}

/** The query of a chart or list, to copy. */
export function CountQuery({ code: { curl, sql }, frame }: CountQueryProps) {
  return (
    <details className={styles.query}>
      <summary>{frame === undefined ? 'Query' : 'Query and embed'}</summary>
      <Snippet label="By REST, with curl" code={curl} />
      <Snippet label="By SQL, in PostgreSQL" code={sql} />
      {frame !== undefined && <Snippet label="On another page" code={frame} />}
    </details>
  )
}
