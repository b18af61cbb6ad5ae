import { Snippet } from '../../components/Snippet.tsx'
import type { CountCode } from './countedBy.ts'
import styles from './StatsPage.module.css'

/** The query of a chart or list, to copy. */
export function CountQuery({ code: { curl, sql } }: { readonly code: CountCode }) {
  return (
    <details className={styles.query}>
      <summary>Query</summary>
      <Snippet label="By REST, with curl" code={curl} />
      <Snippet label="By SQL, in PostgreSQL" code={sql} />
    </details>
  )
}
