import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { useMemo } from 'react'
import { attestationsQuery } from '../../api/queries.ts'
import { buttonClass } from '../../components/Button.tsx'
import { Card } from '../../components/Card.tsx'
import { EmptyState } from '../../components/EmptyState.tsx'
import { ErrorState } from '../../components/ErrorState.tsx'
import { PageHeader } from '../../components/PageHeader.tsx'
import { PageSize } from '../../components/PageSize.tsx'
import { Pagination } from '../../components/Pagination.tsx'
import { useTitle } from '../../components/useTitle.ts'
import { pageSizeDefault, stringifySearch } from '../../format/readSearch.ts'
import { AttestationFilters } from './AttestationFilters.tsx'
import { AttestationTable } from './AttestationTable.tsx'
import { hasFilter, queryOf } from './attestationsSearch.ts'

const route = getRouteApi('/attestations')

/** Every attestation of every chain, newest first, by any filter that the interface has. */
export function AttestationsPage() {
  useTitle('Attestations')
  const search = route.useSearch()
  const { page = 1, size = pageSizeDefault } = search
  const query = useMemo(() => queryOf(search), [search])
  const listed = useQuery(attestationsQuery({ ...query, page, size }))
  const total = listed.data?.total
  return (
    <>
      <PageHeader title="Attestations" actions={search.keyword === undefined && <Exports query={query} />}>
        Signed statements from every chain, newest first.
      </PageHeader>
      <Card flush>
        <AttestationFilters />
        {listed.isError && !listed.isPlaceholderData ? (
          <ErrorState error={listed.error} onRetry={() => void listed.refetch()} />
        ) : (
          <AttestationTable
            caption="Attestations, newest first"
            rows={listed.data?.rows}
            stale={listed.isPlaceholderData}
            skeletonRows={size}
            empty={<Nothing page={page} filtered={hasFilter(search)} />}
          />
        )}
        <Pagination page={page} size={size} total={total} what="attestations">
          <PageSize size={size} />
        </Pagination>
      </Card>
    </>
  )
}

function Exports({ query }: { readonly query: object }) {
  return (
    <>
      {(['csv', 'ndjson'] as const).map((format) => (
        <a
          key={format}
          className={buttonClass()}
          href={`/scan/export/attestations.${format}${stringifySearch({ ...query })}`}
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
  if (filtered) {
    return (
      <EmptyState title="No attestation passes these filters" icon="filter">
        <p>Remove one of them, or look at all attestations.</p>
        <Link to="/attestations" className={buttonClass()}>
          Show all attestations
        </Link>
      </EmptyState>
    )
  }
  return (
    <EmptyState title="Nothing has been attested yet">
      <p>Attestations appear here as soon as a chain that has some is indexed.</p>
    </EmptyState>
  )
}
