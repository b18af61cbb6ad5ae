import { useQuery, useQueryClient, type QueryKey, type UseQueryOptions } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import { useIndexEvents } from '../api/events.ts'
import { formatCount, formatQuantity } from '../format/formatCount.ts'
import { Button } from './Button.tsx'
import { classNames } from './classNames.ts'
import styles from './NewRows.module.css'

/** How often at most the number is asked for, however many records arrive. */
const askedEveryMs = 2_000

export interface NewRowsProps<Key extends QueryKey> {
  /** `attestation` */
  readonly noun: string
  /** The number of rows that pass the filters of the list; asked again as records come, or by its interval. */
  readonly counting: UseQueryOptions<number, Error, number, Key>
  /** The beginning of the key of the list, which is read anew when asked to. */
  readonly listKey: QueryKey
  /** The number of rows when the list was read; undefined while that is not known. */
  readonly total: number | undefined
}

/**
 * A row above the first page of a list: how many rows it has, and how many have come since, which it shows when
 * asked to. The list stays as it is until then, and so does everything on the page.
 */
export function NewRows<Key extends QueryKey>({ noun, counting, listKey, total }: NewRowsProps<Key>) {
  const client = useQueryClient()
  const [hasChanged, setChanged] = useState(false)
  const timer = useRef<ReturnType<typeof setTimeout> | null>(null)
  const isAsked = hasChanged || counting.refetchInterval !== undefined
  const { data: count } = useQuery({ ...counting, enabled: isAsked && total !== undefined })
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
      <span>{total === undefined ? '' : formatQuantity(total, noun)}</span>
      {added > 0 && (
        <Button
          look="primary"
          className={styles.button}
          onClick={() => void client.invalidateQueries({ queryKey: listKey })}
        >
          {formatCount(added)} new: show {added === 1 ? 'it' : 'them'}
        </Button>
      )}
    </div>
  )
}
