import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { IndexStatistics } from '../../api/types.ts'
import { Skeleton } from '../../components/Skeleton.tsx'
import { formatCount } from '../../format/formatCount.ts'
import styles from './TotalsStrip.module.css'

/** The size of the index in four figures. */
export function TotalsStrip({ stats }: { readonly stats: IndexStatistics | undefined }) {
  const chainCount = new Set(stats?.protocols.map(({ chainId }) => chainId)).size
  return (
    <dl className={styles.strip}>
      <Total label={<Link to="/attestations">Attestations</Link>} value={stats?.attestationCount} />
      <Total label={<Link to="/schemas">Schemas</Link>} value={stats?.schemaCount} />
      <Total
        label={
          <Link to="/attestations" search={{ revoked: 'true' }}>
            Revoked
          </Link>
        }
        value={stats?.revocationCount}
      />
      <Total label="Chains" value={stats === undefined ? undefined : chainCount} />
    </dl>
  )
}

function Total({ label, value }: { readonly label: ReactNode; readonly value: number | undefined }) {
  return (
    <div className={styles.total}>
      <dt>{label}</dt>
      <dd>{value === undefined ? <Skeleton characters={6} /> : formatCount(value)}</dd>
    </div>
  )
}
