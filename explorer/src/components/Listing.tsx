import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { buttonClass } from './Button.tsx'
import { EmptyState } from './EmptyState.tsx'
import { ErrorState } from './ErrorState.tsx'
import { Pagination } from './Pagination.tsx'
import { useKept } from './useKept.ts'

export interface ListingProps<Row> {
  /** The page as it was asked for. */
  readonly listed: {
    readonly data: { readonly rows: readonly Row[]; readonly total: number } | undefined
    readonly isError: boolean
    readonly error: unknown
    readonly refetch: () => unknown
  }
  /** The filters of the list: no row is drawn under other ones. Absent for a list without filters. */
  readonly question?: object
  /** From 1. */
  readonly page: number
  readonly size: number
  /** The noun of the rows: `attestations`. */
  readonly what: string
  /** Shown if the list has no rows at all. */
  readonly empty: ReactNode
  /** Stands beside the steps from page to page. */
  readonly controls?: ReactNode
  /** The table, from what every table is given. */
  readonly children: (table: ListedRows<Row>) => ReactNode
}

export interface ListedRows<Row> {
  readonly rows: readonly Row[] | undefined
  readonly stale: boolean
  readonly skeletonRows: number
  readonly empty: ReactNode
}

/**
 * A page of a list in any state (loading, failed, empty, filled), with links to the other pages. The rows of the page
 * before stay, dimmed, while another page of the same list is awaited.
 */
export function Listing<Row>(props: ListingProps<Row>) {
  const { listed, question, page, size, what, empty, controls, children } = props
  const { data } = listed
  const known = useKept(data, JSON.stringify(question))
  const stale = data === undefined && known !== undefined
  if (listed.isError && data === undefined)
    return <ErrorState error={listed.error} onRetry={() => void listed.refetch()} />
  return (
    <>
      {children({
        rows: known?.rows,
        stale,
        skeletonRows: size,
        empty: page > 1 ? <PastTheEnd /> : empty,
      })}
      <Pagination page={page} size={size} total={known?.total} what={what} stale={stale}>
        {controls}
      </Pagination>
    </>
  )
}

function PastTheEnd() {
  return (
    <EmptyState title="The list ends before this page">
      <Link
        to="."
        search={(previous: object) => ({ ...previous, page: undefined })}
        className={buttonClass()}
      >
        Go to the first page
      </Link>
    </EmptyState>
  )
}
