import { useQuery } from '@tanstack/react-query'
import { useSearch } from '@tanstack/react-router'
import { schemasQuery } from '../../api/queries.ts'
import type { SchemaRow } from '../../api/types.ts'
import { ChainBadge } from '../../components/ChainBadge.tsx'
import { DataTable, type Column } from '../../components/DataTable.tsx'
import { EmptyState } from '../../components/EmptyState.tsx'
import { ErrorState } from '../../components/ErrorState.tsx'
import { Pagination } from '../../components/Pagination.tsx'
import { SchemaLink } from '../../components/RecordLink.tsx'
import { SafeText } from '../../components/SafeText.tsx'
import { formatCount } from '../../format/formatCount.ts'
import { pageSizeDefault } from '../../format/readSearch.ts'

type Row = Pick<SchemaRow, 'id' | 'chainId' | 'schemaId' | 'name' | 'description' | 'attestationCount'>

const columns: readonly Column<Row>[] = [
  {
    header: 'Schema',
    grow: true,
    inCard: 'head',
    cell: (row) => <SchemaLink id={row.id} localId={row.schemaId} name={row.name} strong />,
    characters: 24,
  },
  {
    header: 'Description',
    grow: true,
    inCard: 'hidden',
    cell: (row) => <SafeText text={row.description} lengthMax={140} />,
    characters: 32,
  },
  { header: 'Chain', cell: (row) => <ChainBadge chainId={row.chainId} />, characters: 12 },
  {
    header: 'Attestations',
    align: 'end',
    cell: (row) => formatCount(row.attestationCount),
    characters: 12,
  },
]

/** The schemas that an address registered. */
export function AddressSchemas({ address }: { readonly address: string }) {
  const { page = 1, size = pageSizeDefault, chainId } = useSearch({ from: '/address/$address' })
  const listed = useQuery(
    schemasQuery({ registrant: address, page, size, ...(chainId === undefined ? {} : { chainId }) }),
  )
  if (listed.isError && listed.data === undefined)
    return <ErrorState error={listed.error} onRetry={() => void listed.refetch()} />
  return (
    <>
      <DataTable<Row>
        caption="Schemas that it registered"
        columns={columns}
        rows={listed.data?.rows}
        rowKey={(row) => row.id}
        stale={listed.isPlaceholderData}
        empty={
          <EmptyState title={page > 1 ? 'This page is past the end' : 'No schemas'} icon="schema">
            <p>{page > 1 ? 'Go back to the first page.' : 'This address has registered no schema here.'}</p>
          </EmptyState>
        }
      />
      <Pagination page={page} size={size} total={listed.data?.total} what="schemas" />
    </>
  )
}
