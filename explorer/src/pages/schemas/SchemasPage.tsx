import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { oldestSchemasQuery, schemasQuery } from '../../api/queries.ts'
import { buttonClass } from '../../components/Button.tsx'
import { Card } from '../../components/Card.tsx'
import { EmptyState } from '../../components/EmptyState.tsx'
import { ErrorState } from '../../components/ErrorState.tsx'
import { PageHeader } from '../../components/PageHeader.tsx'
import { PageSize } from '../../components/PageSize.tsx'
import { Pagination } from '../../components/Pagination.tsx'
import { useTitle } from '../../components/useTitle.ts'
import { pageSizeDefault, stringifySearch } from '../../format/readSearch.ts'
import { RankedSchemas } from './RankedSchemas.tsx'
import { SchemaFilters } from './SchemaFilters.tsx'
import { SchemaTable } from './SchemaTable.tsx'
import { schemaQueryOf, type SchemasSearch } from './schemasSearch.ts'

const route = getRouteApi('/schemas')

/** Every schema of every chain, or those that are used most. */
export function SchemasPage() {
  useTitle('Schemas')
  const search = route.useSearch()
  const { order } = search
  return (
    <>
      <PageHeader title="Schemas" actions={search.keyword === undefined && <Exports search={search} />}>
        What attestations say, by whom it was laid down, and how much it is used.
      </PageHeader>
      <Card flush>
        <SchemaFilters />
        {order === 'top' || order === 'trending' ? (
          <RankedSchemas order={order} />
        ) : (
          <ListedSchemas search={search} />
        )}
      </Card>
    </>
  )
}

function ListedSchemas({ search }: { readonly search: SchemasSearch }) {
  const { page = 1, size = pageSizeDefault, order } = search
  const query = schemaQueryOf(search)
  const isOldest = order === 'oldest'
  const newest = useQuery({ ...schemasQuery({ ...query, page, size }), enabled: !isOldest })
  const oldest = useQuery({ ...oldestSchemasQuery({ ...query, page, size }), enabled: isOldest })
  const listed = isOldest ? oldest : newest
  return (
    <>
      {listed.isError ? (
        <ErrorState error={listed.error} onRetry={() => void listed.refetch()} />
      ) : (
        <SchemaTable
          caption={`Schemas, ${isOldest ? 'oldest' : 'newest'} first`}
          rows={listed.data?.rows}
          stale={listed.isPlaceholderData}
          skeletonRows={size}
          empty={<Nothing page={page} filtered={Object.keys(query).length > 0} />}
        />
      )}
      <Pagination page={page} size={size} total={listed.data?.total} what="schemas">
        <PageSize size={size} />
      </Pagination>
    </>
  )
}

function Exports({ search }: { readonly search: SchemasSearch }) {
  return (
    <>
      {(['csv', 'ndjson'] as const).map((format) => (
        <a
          key={format}
          className={buttonClass()}
          href={`/scan/export/schemas.${format}${stringifySearch({ ...schemaQueryOf(search) })}`}
          download
        >
          Export {format.toUpperCase()}
        </a>
      ))}
    </>
  )
}

function Nothing({ page, filtered }: { readonly page: number; readonly filtered: boolean }) {
  if (page > 1) {
    return (
      <EmptyState title="The list ends before this page">
        <Link
          to="."
          search={(previous: object) => ({ ...previous, page: undefined })}
          className={buttonClass()}
        >
          Go to the first page
        </Link>
      </EmptyState>
    )
  }
  if (!filtered) {
    return (
      <EmptyState title="No schema is indexed yet" icon="schema">
        <p>Schemas appear here as soon as a chain that has some is indexed.</p>
      </EmptyState>
    )
  }
  return (
    <EmptyState title="No schema passes these filters" icon="filter">
      <p>Remove one of them, or look at all schemas.</p>
      <Link to="/schemas" className={buttonClass()}>
        Show all schemas
      </Link>
    </EmptyState>
  )
}
