import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { oldestSchemasQuery, schemasQuery } from '../../api/queries.ts'
import { Card } from '../../components/Card.tsx'
import type { ColumnSort } from '../../components/DataTable.tsx'
import { EmptyState } from '../../components/EmptyState.tsx'
import { ExportLinks } from '../../components/ExportLinks.tsx'
import { Listing } from '../../components/Listing.tsx'
import { PageHeader } from '../../components/PageHeader.tsx'
import { UseFromCode } from '../../components/UseFromCode.tsx'
import { PageSize } from '../../components/PageSize.tsx'
import { NothingPasses } from '../../components/filters/NothingPasses.tsx'
import { useIsPast } from '../../components/useMoment.ts'
import { useTitle } from '../../components/useTitle.ts'
import { pageSizeDefault } from '../../format/readSearch.ts'
import { RankedSchemas } from './RankedSchemas.tsx'
import { SchemaFilters } from './SchemaFilters.tsx'
import { SchemaTable } from './SchemaTable.tsx'
import { schemaQueryOf, type SchemasSearch } from './schemasSearch.ts'

const route = getRouteApi('/schemas')

/** All schemas of all chains, or a ranking of the most used. */
export function SchemasPage() {
  useTitle('Schemas')
  const search = route.useSearch()
  const { order } = search
  // Rankings are of the present.
  const isPast = useIsPast()
  const navigate = route.useNavigate()
  const sort: ColumnSort = {
    direction: order === 'top' ? 'descending' : null,
    onSort: () => void navigate({ search: order === 'top' ? {} : { order: 'top' }, resetScroll: false }),
  }
  return (
    <>
      <PageHeader
        title="Schemas"
        actions={
          search.keyword === undefined && <ExportLinks records="schemas" query={schemaQueryOf(search)} />
        }
      >
        What attestations say, by whom it was laid down, and how much it is used.
      </PageHeader>
      <Card flush>
        <SchemaFilters />
        {!isPast && (order === 'top' || order === 'trending') ? (
          <RankedSchemas order={order} sort={sort} />
        ) : (
          <ListedSchemas search={search} {...(isPast ? {} : { sort })} />
        )}
      </Card>
      <UseFromCode question={{ kind: 'schemas', filter: schemaQueryOf(search) }} />
    </>
  )
}

function ListedSchemas({ search, sort }: { readonly search: SchemasSearch; readonly sort?: ColumnSort }) {
  const { page = 1, size = pageSizeDefault, order } = search
  const query = schemaQueryOf(search)
  const isOldest = order === 'oldest'
  const newest = useQuery({ ...schemasQuery({ ...query, page, size }), enabled: !isOldest })
  const oldest = useQuery({ ...oldestSchemasQuery({ ...query, page, size }), enabled: isOldest })
  const listed = isOldest ? oldest : newest
  return (
    <Listing
      listed={listed}
      question={{ ...query, order }}
      page={page}
      size={size}
      what="schemas"
      empty={Object.keys(query).length > 0 ? <NothingPasses what="schema" /> : <NothingYet />}
      controls={<PageSize size={size} />}
    >
      {(table) => (
        <SchemaTable
          {...table}
          {...(sort === undefined ? {} : { sort })}
          caption={`Schemas, ${isOldest ? 'oldest' : 'newest'} first`}
        />
      )}
    </Listing>
  )
}

function NothingYet() {
  return (
    <EmptyState title="No schema is indexed yet" icon="schema">
      <p>Schemas appear here as soon as a chain that has some is indexed.</p>
    </EmptyState>
  )
}
