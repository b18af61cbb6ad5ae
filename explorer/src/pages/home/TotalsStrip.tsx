import { Link } from '@tanstack/react-router'
import type { IndexStatistics } from '../../api/types.ts'
import { Totals } from '../../components/Totals.tsx'

/** The size of the index in four figures. */
export function TotalsStrip({ stats }: { readonly stats: IndexStatistics | undefined }) {
  const chainCount = new Set(stats?.protocols.map(({ chainId }) => chainId)).size
  return (
    <Totals
      totals={[
        {
          key: 'attestations',
          label: <Link to="/attestations">Attestations</Link>,
          value: stats?.attestationCount,
        },
        { key: 'schemas', label: <Link to="/schemas">Schemas</Link>, value: stats?.schemaCount },
        {
          key: 'revoked',
          label: (
            <Link to="/attestations" search={{ revoked: 'true' }}>
              Revoked
            </Link>
          ),
          value: stats?.revocationCount,
        },
        { key: 'chains', label: 'Chains', value: stats === undefined ? undefined : chainCount },
      ]}
    />
  )
}
