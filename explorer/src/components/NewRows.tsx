import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import { useIndexEvents } from '../api/events.ts'
import { attestationCountQuery, type AttestationQuery } from '../api/queries.ts'
import { formatCount, formatQuantity } from '../format/formatCount.ts'
import { Button } from './Button.tsx'
import { classNames } from './classNames.ts'
import styles from './NewRows.module.css'

/** How often at most the number is asked for, however many records arrive. */
const askedEveryMs = 2_000

export interface NewRowsProps {
  /** The filters of the list. */
  readonly query: AttestationQuery
  /** The number of attestations when the list was read; undefined while that is not known. */
  readonly total: number | undefined
}

/**
 * A row above the first page of a list: how many attestations it has, and how many have come since, which it shows when
 * asked to. The list stays as it is until then, and so does everything on the page.
 */
export function NewRows({ query, total }: NewRowsProps) {
  const client = useQueryClient()
  const [hasChanged, setChanged] = useState(false)
  const timer = useRef<ReturnType<typeof setTimeout> | null>(null)
  const counting = attestationCountQuery(query)
  const { data: count } = useQuery({ ...counting, enabled: hasChanged && total !== undefined })
  useIndexEvents(({ kind }) => {
    // Rows that arrived while the connection was opened or reopened are counted too.
    if (kind === 'schema' || kind === 'lost' || timer.current !== null) return
    timer.current = setTimeout(() => {
      timer.current = null
      setChanged(true)
      void client.invalidateQueries({ queryKey: counting.queryKey })
    }, askedEveryMs)
  })
  const added = count === undefined || total === undefined ? 0 : count - total
  return (
    <div className={classNames(styles.row, added > 0 && styles.hasNew)} role="status">
      <span>{total === undefined ? '' : formatQuantity(total, 'attestation')}</span>
      {added > 0 && (
        <Button
          look="primary"
          className={styles.button}
          onClick={() => void client.invalidateQueries({ queryKey: ['attestations', 'list'] })}
        >
          {formatCount(added)} new: show {added === 1 ? 'it' : 'them'}
        </Button>
      )}
    </div>
  )
}
