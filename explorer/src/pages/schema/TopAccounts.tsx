import { Address } from '../../components/Address.tsx'
import { Card } from '../../components/Card.tsx'
import { EmptyState } from '../../components/EmptyState.tsx'
import { ErrorState } from '../../components/ErrorState.tsx'
import { ShareBar } from '../../components/ShareBar.tsx'
import { Skeleton } from '../../components/Skeleton.tsx'
import { formatCount } from '../../format/formatCount.ts'
import styles from './TopAccounts.module.css'

export interface TopAccountsProps {
  readonly title: string
  /** Shown if the list is empty. */
  readonly none: string
  /** Undefined while they are not known. */
  readonly accounts: readonly { readonly address: string; readonly count: number }[] | undefined
  /** Attestations under the schema. */
  readonly total: number
  readonly error: Error | null
  readonly onRetry: () => void
}

/** The accounts of the most attestations under the schema, and their shares of all. */
export function TopAccounts({ title, none, accounts, total, error, onRetry }: TopAccountsProps) {
  return (
    <Card title={title} flush>
      {error !== null && accounts === undefined ? (
        <ErrorState error={error} onRetry={onRetry} />
      ) : accounts?.length === 0 ? (
        <EmptyState title={none} icon="address" />
      ) : (
        <ol className={styles.list}>
          {accounts === undefined
            ? Array.from({ length: 5 }, (_, index) => (
                <li key={index} className={styles.row}>
                  <Skeleton characters={24} />
                </li>
              ))
            : accounts.map(({ address, count }) => (
                <li key={address} className={styles.row}>
                  <Address address={address} />
                  <span>
                    {formatCount(count)}
                    <span className={styles.share}>{formatShare(count, total)}</span>
                  </span>
                  <ShareBar share={count / Math.max(1, total)} />
                </li>
              ))}
        </ol>
      )}
    </Card>
  )
}

function formatShare(count: number, total: number): string {
  const percent = (100 * count) / Math.max(1, total)
  return percent < 1 ? '<1%' : `${Math.round(percent)}%`
}
