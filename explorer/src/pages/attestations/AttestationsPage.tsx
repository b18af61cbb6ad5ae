import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { useMemo } from 'react'
import { attestationCountQuery, attestationListKey, attestationsQuery } from '../../api/queries.ts'
import { Card } from '../../components/Card.tsx'
import { EmptyState } from '../../components/EmptyState.tsx'
import { ExportLinks } from '../../components/ExportLinks.tsx'
import { Listing } from '../../components/Listing.tsx'
import { PageHeader } from '../../components/PageHeader.tsx'
import { NewRows } from '../../components/NewRows.tsx'
import { UseFromCode } from '../../components/UseFromCode.tsx'
import { PageSize } from '../../components/PageSize.tsx'
import { ListedChains } from '../../components/filters/ListedChains.tsx'
import { NothingPasses } from '../../components/filters/NothingPasses.tsx'
import { useIsPast } from '../../components/useMoment.ts'
import { useTitle } from '../../components/useTitle.ts'
import { pageSizeDefault } from '../../format/readSearch.ts'
import { AttestationFilters } from './AttestationFilters.tsx'
import { AttestationTable } from './AttestationTable.tsx'
import { hasFilter, queryOf } from './attestationsSearch.ts'

const route = getRouteApi('/attestations')

/** All attestations of all chains, newest first, with all filters of the interface. */
export function AttestationsPage() {
  useTitle('Attestations')
  const search = route.useSearch()
  const isPast = useIsPast()
  const { page = 1, size = pageSizeDefault } = search
  const query = useMemo(() => queryOf(search), [search])
  const listed = useQuery(attestationsQuery({ ...query, page, size }))
  return (
    <>
      <PageHeader
        title="Attestations"
        actions={search.keyword === undefined && <ExportLinks records="attestations" query={query} />}
      >
        Signed statements from <ListedChains chainId={search.chainId} />, newest first.
      </PageHeader>
      <Card flush>
        <AttestationFilters />
        {page === 1 && !isPast && (
          <NewRows
            noun="attestation"
            counting={attestationCountQuery(query)}
            listKey={attestationListKey}
            total={listed.data?.total}
          />
        )}
        <Listing
          listed={listed}
          question={query}
          page={page}
          size={size}
          what="attestations"
          empty={hasFilter(search) ? <NothingPasses what="attestation" /> : <NothingYet />}
          controls={<PageSize size={size} />}
        >
          {(table) => <AttestationTable {...table} caption="Attestations, newest first" />}
        </Listing>
      </Card>
      <UseFromCode question={{ kind: 'attestations', filter: query }} />
    </>
  )
}

function NothingYet() {
  return (
    <EmptyState title="Nothing has been attested yet">
      <p>Attestations appear here as soon as a chain that has some is indexed.</p>
    </EmptyState>
  )
}
