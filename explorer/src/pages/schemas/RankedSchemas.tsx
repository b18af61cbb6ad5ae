import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { schemasOfRowsQuery, topSchemasQuery, trendingSchemasQuery } from '../../api/queries.ts'
import type { ColumnSort } from '../../components/DataTable.tsx'
import { EmptyState } from '../../components/EmptyState.tsx'
import { ErrorState } from '../../components/ErrorState.tsx'
import { recordKey } from '../../format/recordKey.ts'
import { SchemaTable } from './SchemaTable.tsx'

/** The ten most used schemas, ever or recently. Rankings lack the schemas' fields, so these are read by their ids. */
export function RankedSchemas({
  order,
  sort,
}: {
  readonly order: 'top' | 'trending'
  readonly sort: ColumnSort
}) {
  const top = useQuery({ ...topSchemasQuery(), enabled: order === 'top' })
  const trending = useQuery({ ...trendingSchemasQuery(), enabled: order === 'trending' })
  const { data: ranked, isError, error, refetch } = order === 'top' ? top : trending
  const { data: whole, isError: isUnknown } = useQuery(schemasOfRowsQuery(ranked ?? []))
  const rows = useMemo(
    () =>
      ranked?.map((schema) => {
        const data = whole?.get(recordKey(schema))?.data
        return { ...schema, data: data ?? (isUnknown ? null : undefined) }
      }),
    [ranked, whole, isUnknown],
  )
  if (isError) return <ErrorState error={error} onRetry={() => void refetch()} />
  return (
    <SchemaTable
      caption={
        order === 'top' ? 'Schemas with the most attestations' : 'Schemas that are used most this week'
      }
      rows={rows}
      sort={sort}
      without={['Attesters']}
      empty={
        <EmptyState title="No schema has been used yet" icon="schema">
          <p>Schemas appear here with their first attestation.</p>
        </EmptyState>
      }
    />
  )
}
