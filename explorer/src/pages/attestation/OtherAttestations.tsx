import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { attestationsQuery, type AttestationQuery } from '../../api/queries.ts'
import type { Attestation } from '../../api/types.ts'
import { Card } from '../../components/Card.tsx'
import { ErrorState } from '../../components/ErrorState.tsx'
import { Tabs } from '../../components/Tabs.tsx'
import { formatCount } from '../../format/formatCount.ts'
import { withoutAbsent } from '../../format/withoutAbsent.ts'
import { AttestationTable } from '../attestations/AttestationTable.tsx'
import styles from './AttestationPage.module.css'

/** Rows of either list. */
const shownMax = 5

/** The newest other attestations to the same recipient and under the same schema. */
export function OtherAttestations({ attestation }: { readonly attestation: Attestation }) {
  const { protocol, recipients, schema } = attestation
  const [recipient] = recipients
  const lists = {
    recipient: recipient === undefined || recipient === '' ? undefined : { recipient },
    schema: schema.id.startsWith('onchain_evm_')
      ? withoutAbsent({ schemaId: schema.id, protocol })
      : undefined,
  }
  const [chosen, choose] = useState<keyof typeof lists>(
    lists.recipient === undefined ? 'schema' : 'recipient',
  )
  const filter = lists[chosen]
  if (filter === undefined) return null
  const tabs = [
    { name: 'recipient', label: 'To this recipient' },
    { name: 'schema', label: 'Under this schema' },
  ] as const
  return (
    <Card title="Other attestations" flush className={styles.onScreen}>
      <Tabs
        label="Other attestations"
        tabs={tabs.filter(({ name }) => lists[name] !== undefined)}
        value={chosen}
        onChange={choose}
      >
        <Others attestation={attestation} filter={filter} />
      </Tabs>
    </Card>
  )
}

interface OthersProps {
  readonly attestation: Attestation
  readonly filter: Pick<AttestationQuery, 'recipient' | 'schemaId' | 'protocol'>
}

function Others({ attestation, filter }: OthersProps) {
  const { data, error, refetch } = useQuery(attestationsQuery({ ...filter, page: 1, size: shownMax + 1 }))
  if (error !== null && data === undefined) return <ErrorState error={error} onRetry={() => void refetch()} />
  // The answer holds the attestation of the page, unless it is an older one.
  const rows = data?.rows
    .filter(({ id, protocol }) => id !== attestation.id || protocol !== attestation.protocol)
    .slice(0, shownMax)
  return (
    <>
      <AttestationTable
        caption="Other attestations"
        rows={rows}
        skeletonRows={shownMax}
        empty={<p className={styles.none}>There is no other.</p>}
      />
      {data !== undefined && data.total > shownMax && (
        <p className={styles.none}>
          <Link to="/attestations" search={filter}>
            All {formatCount(data.total)}
          </Link>
        </p>
      )}
    </>
  )
}
