import { Link } from '@tanstack/react-router'
import { Card } from '../../components/Card.tsx'
import { EmptyState } from '../../components/EmptyState.tsx'
import { ErrorState } from '../../components/ErrorState.tsx'
import { AttestationTable } from '../attestations/AttestationTable.tsx'
import styles from './LatestCard.module.css'
import { useLatestAttestations } from './useLatestAttestations.ts'

/** The newest attestations, live. Hovering pauses updates. */
export function LatestCard() {
  const {
    data: rows,
    isError,
    error,
    refetch,
    isLive,
    waitingCount,
    setHeld,
    isNew,
  } = useLatestAttestations()
  return (
    <Card
      title={
        <span className={styles.title}>
          Latest attestations
          <span className={isLive ? styles.live : styles.notLive}>
            <span className={styles.light} aria-hidden="true" />
            {waitingCount > 0 ? `${waitingCount} new` : isLive ? 'Live' : 'Connecting'}
          </span>
        </span>
      }
      actions={<Link to="/attestations">All attestations</Link>}
      flush
    >
      {isError && rows === undefined ? (
        <ErrorState error={error} onRetry={() => void refetch()} />
      ) : (
        <div
          onPointerEnter={({ pointerType }) => setHeld(pointerType === 'mouse')}
          onPointerLeave={() => setHeld(false)}
          onFocus={() => setHeld(true)}
          onBlur={() => setHeld(false)}
        >
          <AttestationTable
            caption="Latest attestations"
            rows={rows}
            isNew={isNew}
            empty={
              <EmptyState title="Nothing has been attested yet">
                <p>Attestations appear here the moment they are indexed.</p>
              </EmptyState>
            }
          />
        </div>
      )}
    </Card>
  )
}
