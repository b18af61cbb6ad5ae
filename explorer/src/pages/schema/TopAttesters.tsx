import { Address } from '../../components/Address.tsx'
import { Card } from '../../components/Card.tsx'
import { EmptyState } from '../../components/EmptyState.tsx'
import { ErrorState } from '../../components/ErrorState.tsx'
import { Skeleton } from '../../components/Skeleton.tsx'
import { formatCount } from '../../format/formatCount.ts'
import styles from './TopAttesters.module.css'

export interface TopAttestersProps {
  /** Undefined while they are not known. */
  readonly attesters: readonly { readonly address: string; readonly count: number }[] | undefined
  /** Attestations under the schema. */
  readonly total: number
  readonly error: Error | null
  readonly onRetry: () => void
}

/** The accounts with the most attestations under the schema, and their shares of all. */
export function TopAttesters({ attesters, total, error, onRetry }: TopAttestersProps) {
  return (
    <Card title="Top attesters" flush>
      {error !== null && attesters === undefined ? (
        <ErrorState error={error} onRetry={onRetry} />
      ) : attesters?.length === 0 ? (
        <EmptyState title="No attester yet" icon="address" />
      ) : (
        <ol className={styles.list}>
          {attesters === undefined
            ? Array.from({ length: 5 }, (_, index) => (
                <li key={index} className={styles.row}>
                  <Skeleton characters={24} />
                </li>
              ))
            : attesters.map(({ address, count }) => (
                <li key={address} className={styles.row}>
                  <Address address={address} />
                  <span className={styles.count}>
                    {formatCount(count)}
                    <span className={styles.share}>{formatShare(count, total)}</span>
                  </span>
                  <svg
                    className={styles.bar}
                    viewBox="0 0 100 1"
                    preserveAspectRatio="none"
                    aria-hidden="true"
                  >
                    <rect width={(100 * count) / Math.max(1, total)} height="1" />
                  </svg>
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
