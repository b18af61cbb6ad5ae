import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { statsQuery } from '../../api/queries.ts'
import { Totals } from '../../components/Totals.tsx'
import { useChains } from '../../components/useChain.ts'

/** The size of the index in four figures. */
export function TotalsStrip() {
  const { data: stats } = useQuery(statsQuery())
  const chains = useChains()
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
        { key: 'chains', label: 'Chains', value: chains?.length },
      ]}
    />
  )
}
