import { Link } from '@tanstack/react-router'
import type { LatestAttestation } from '../../api/types.ts'
import { Address } from '../../components/Address.tsx'
import { Card } from '../../components/Card.tsx'
import { ChainBadge } from '../../components/ChainBadge.tsx'
import { DataTable, type Column } from '../../components/DataTable.tsx'
import { EmptyState } from '../../components/EmptyState.tsx'
import { ErrorState } from '../../components/ErrorState.tsx'
import { AttestationLink, SchemaLink } from '../../components/RecordLink.tsx'
import { Recipients } from '../../components/Recipients.tsx'
import { Time } from '../../components/Time.tsx'
import styles from './LatestCard.module.css'
import { useLatestAttestations } from './useLatestAttestations.ts'

const columns: readonly Column<LatestAttestation>[] = [
  {
    header: 'Attestation',
    width: '8.5rem',
    cell: (row) => <AttestationLink id={row.id} localId={row.attestationId} />,
    characters: 8,
  },
  {
    header: 'Schema',
    grow: true,
    inCard: 'head',
    cell: (row) => (
      <SchemaLink id={row.schema.id} localId={row.schema.schemaId} name={row.schema.name} strong />
    ),
    characters: 24,
  },
  { header: 'Chain', width: '9rem', cell: (row) => <ChainBadge chainId={row.chainId} />, characters: 10 },
  { header: 'Attester', width: '12.5rem', cell: (row) => <Address address={row.attester} />, characters: 16 },
  {
    header: 'Recipient',
    width: '14rem',
    cell: (row) => <Recipients recipients={row.recipients} />,
    characters: 16,
  },
  {
    header: 'Made',
    width: '9.5rem',
    align: 'end',
    cell: (row) => <Time seconds={row.attestTimestamp} />,
    characters: 12,
  },
]

/** The newest attestations as they come in. While one points at them they hold still. */
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
          <DataTable
            caption="Latest attestations"
            columns={columns}
            rows={rows}
            rowKey={(row) => row.id}
            isNew={isNew}
            tableWidthMin={70}
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
