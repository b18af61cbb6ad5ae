import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { chainsQuery, statsQuery } from '../../api/queries.ts'
import { Totals } from '../../components/Totals.tsx'

/** The size of the index in four figures. */
export function TotalsStrip() {
  const stats = useQuery(statsQuery())
  const chains = useQuery(chainsQuery())
  const counted = (count: number | undefined) => count ?? (stats.isError ? null : undefined)
  return (
    <Totals
      totals={[
        {
          key: 'attestations',
          label: <Link to="/attestations">Attestations</Link>,
          value: counted(stats.data?.attestationCount),
        },
        {
          key: 'schemas',
          label: <Link to="/schemas">Schemas</Link>,
          value: counted(stats.data?.schemaCount),
        },
        {
          key: 'revoked',
          label: (
            <Link to="/attestations" search={{ revoked: 'true' }}>
              Revoked
            </Link>
          ),
          value: counted(stats.data?.revocationCount),
        },
        {
          key: 'chains',
          label: <Link to="/chains">Chains</Link>,
          value: chains.data?.length ?? (chains.isError ? null : undefined),
        },
      ]}
    />
  )
}
