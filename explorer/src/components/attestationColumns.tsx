import { Address } from './Address.tsx'
import { ChainBadge } from './ChainBadge.tsx'
import type { Column } from './DataTable.tsx'
import { AttestationLink } from './RecordLink.tsx'
import { Recipients } from './Recipients.tsx'
import { Time } from './Time.tsx'
import styles from './attestationColumns.module.css'

/** The columns that all tables of attestations share, with the same widths. */

interface OfProtocol {
  readonly protocol?: string
}

export const attestationColumn: Column<{ readonly id: string; readonly attestationId: string } & OfProtocol> =
  {
    header: 'Attestation',
    inCard: 'bare',
    width: '8.5rem',
    characters: 8,
    cell: ({ id, attestationId, protocol }) => (
      <AttestationLink id={id} localId={attestationId} protocol={protocol} />
    ),
  }

/** Of schemas too. */
export const chainColumn: Column<{ readonly chainId: string } & OfProtocol> = {
  header: 'Chain',
  inCard: 'bare',
  width: '8.5rem',
  characters: 9,
  cell: ({ chainId, protocol }) => <ChainBadge chainId={chainId} protocol={protocol} stacked />,
}

/** Both in one column, which leaves room for the payload. */
export const partiesColumn: Column<{
  readonly attester: string
  readonly recipients: readonly string[]
}> = {
  header: 'Attester and recipient',
  inCard: 'bare',
  shares: true,
  width: '12rem',
  characters: 16,
  lines: 2,
  cell: ({ attester, recipients }) => (
    <div className={styles.parties}>
      <div>
        <Address address={attester} copyable={false} />
      </div>
      <div className={styles.to}>
        {recipients.length === 0 ? (
          'without a recipient'
        ) : (
          <>
            <span>to</span> <Recipients recipients={recipients} />
          </>
        )}
      </div>
    </div>
  ),
}

export const madeColumn: Column<{ readonly attestTimestamp: string }> = {
  header: 'Attested',
  inCard: 'corner',
  width: '8.75rem',
  align: 'end',
  characters: 12,
  cell: ({ attestTimestamp }) => <Time seconds={attestTimestamp} />,
}

/** The width of the status column. The column itself depends on the source of the status. */
export const statusColumnLooks = { header: 'Status', inCard: 'bare', width: '10rem', characters: 6 } as const
