import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router'
import { topGroupsQuery, type StatsFilter } from '../../api/monthCounts.ts'
import { schemaQuery, schemasOfRowsQuery } from '../../api/queries.ts'
import { Address } from '../../components/Address.tsx'
import { PageHeader } from '../../components/PageHeader.tsx'
import { SchemaLink } from '../../components/RecordLink.tsx'
import { SafeText } from '../../components/SafeText.tsx'
import { useTitle } from '../../components/useTitle.ts'
import { Select } from '../../components/filters/Select.tsx'
import { filteredFields } from '../../format/fieldFilters.ts'
import { formatCount, formatQuantity } from '../../format/formatCount.ts'
import { localIdOf } from '../../format/localIdOf.ts'
import { recordKey } from '../../format/recordKey.ts'
import { withoutAbsent } from '../../format/withoutAbsent.ts'
import { countCode } from './countedBy.ts'
import { MonthChart } from './MonthChart.tsx'
import styles from './StatsPage.module.css'
import { TopGroups, type Group } from './TopGroups.tsx'

const route = getRouteApi('/stats')

/** Charts of all attestations, or of those on a chain, of a protocol or under a schema. */
export function StatsPage() {
  const { chainId, protocol, schemaId } = route.useSearch()
  const filter = withoutAbsent({ chainId, protocol, schemaId })
  useTitle('Statistics')
  const base = window.location.origin
  const attesters = useQuery(topGroupsQuery('attester', filter))
  return (
    <>
      <PageHeader
        title="Statistics"
        actions={
          schemaId !== undefined && (
            <Link to="/stats" search={{ chainId, protocol }}>
              All schemas
            </Link>
          )
        }
      >
        {schemaId !== undefined && <UnderSchema id={schemaId} protocol={protocol} />}
        {attesters.data === undefined
          ? ' '
          : `${formatQuantity(attesters.data.total, 'attestation')} by ${formatQuantity(attesters.data.groups, 'attester')}`}
      </PageHeader>
      <div className={styles.grid}>
        <MonthChart grown="attestations" name="Attestations" filter={filter} />
        <MonthChart grown="revocations" name="Revocations" filter={filter} />
        <MonthChart grown="attesters" name="Attesters" filter={filter} />
        <MonthChart grown="recipients" name="Recipients" filter={filter} />
        <TopGroups
          title="Top attesters"
          by="attester"
          filter={filter}
          code={countCode('attester', filter, base)}
          labelOf={({ key }) => <Address address={key} />}
        />
        {schemaId === undefined ? (
          <TopSchemas filter={filter} />
        ) : (
          <FieldValues schemaId={schemaId} filter={filter} />
        )}
      </div>
    </>
  )
}

function UnderSchema({ id, protocol }: { readonly id: string; readonly protocol: string | undefined }) {
  const { data } = useQuery(schemaQuery(id, protocol))
  return (
    <p>
      Under <SchemaLink id={id} localId={localIdOf(id)} name={data?.name ?? ''} protocol={protocol} strong />
    </p>
  )
}

function TopSchemas({ filter }: { readonly filter: StatsFilter }) {
  const { data } = useQuery(topGroupsQuery('schema', filter))
  const keyed = (data?.rows ?? []).map(({ key, protocol }) => ({ id: key, protocol }))
  const { data: schemas } = useQuery(schemasOfRowsQuery(keyed))
  return (
    <TopGroups
      title="Top schemas"
      by="schema"
      filter={filter}
      code={countCode('schema', filter, window.location.origin)}
      labelOf={({ key: id, protocol }: Group) => (
        <SchemaLink
          id={id}
          localId={localIdOf(id)}
          name={schemas?.get(recordKey({ id, protocol }))?.name ?? ''}
          protocol={protocol}
        />
      )}
    />
  )
}

/** The most frequent values of a field of the schema, which one can choose. */
function FieldValues({ schemaId, filter }: { readonly schemaId: string; readonly filter: StatsFilter }) {
  const { field: chosen, protocol } = route.useSearch()
  const navigate = useNavigate({ from: '/stats' })
  const { data: schema } = useQuery(schemaQuery(schemaId, protocol))
  const fields = (schema?.data ?? []).flatMap((field, index) => filteredFields(field, index))
  // Hashes and addresses rarely repeat.
  const field =
    fields.find(({ path }) => path === chosen) ?? fields.find(({ kind }) => kind !== 'bytes') ?? fields[0]
  if (field === undefined) return null
  return (
    <div className={styles.field}>
      <Select
        aria-label="Field"
        choices={fields.map(({ path, label }) => ({ value: path, label }))}
        value={field.path}
        onChange={(path) =>
          void navigate({ search: (earlier) => ({ ...earlier, field: path }), resetScroll: false })
        }
      />
      <TopGroups
        title={`Values of ${field.label}`}
        by={`field[${field.path}]`}
        filter={filter}
        code={countCode('field', filter, window.location.origin, field.path)}
        labelOf={({ key, count }) =>
          key === '' ? (
            <em>empty</em>
          ) : (
            <Link
              to="/schema/$id"
              params={{ id: schemaId }}
              search={{ protocol, [`field[${field.path}]`]: key }}
              title={`${formatCount(count)} attestations`}
            >
              <SafeText text={key} lengthMax={60} />
            </Link>
          )
        }
      />
    </div>
  )
}
