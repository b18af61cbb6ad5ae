import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { agentCountQuery, agentListKey, agentsQuery } from '../../api/queries.ts'
import type { AgentRow } from '../../api/types.ts'
import { AgentAccount, AgentLink } from '../../components/AgentLink.tsx'
import { chainColumn } from '../../components/attestationColumns.tsx'
import { Card } from '../../components/Card.tsx'
import { DataTable, type Column, type ColumnSort } from '../../components/DataTable.tsx'
import { EmptyState } from '../../components/EmptyState.tsx'
import { Listing } from '../../components/Listing.tsx'
import { NewRows } from '../../components/NewRows.tsx'
import { PageHeader } from '../../components/PageHeader.tsx'
import { PageSize } from '../../components/PageSize.tsx'
import { SafeText } from '../../components/SafeText.tsx'
import { UseFromCode } from '../../components/UseFromCode.tsx'
import { Time } from '../../components/Time.tsx'
import { useTitle } from '../../components/useTitle.ts'
import { NothingPasses } from '../../components/filters/NothingPasses.tsx'
import { formatCount } from '../../format/formatCount.ts'
import { pageSizeDefault } from '../../format/readSearch.ts'
import { withoutAbsent } from '../../format/withoutAbsent.ts'
import { AgentFilters } from './AgentFilters.tsx'
import { agentQueryOf, type AgentsSearch } from './agentsSearch.ts'
import styles from './AgentsPage.module.css'

const route = getRouteApi('/agents')

/** All agents of all chains. */
export function AgentsPage() {
  useTitle('Agents')
  const search = route.useSearch()
  const { page = 1, size = pageSizeDefault } = search
  const query = agentQueryOf(search)
  const { order } = search
  const ordered = withoutAbsent({ ...query, order })
  const listed = useQuery(agentsQuery({ ...ordered, page, size }))
  const navigate = route.useNavigate()
  const sorting = (by: AgentsSearch['order']): ColumnSort => ({
    direction: order === by ? 'descending' : null,
    onSort: () =>
      void navigate({
        search: (previous) => ({ ...previous, order: by, page: undefined }),
        resetScroll: false,
      }),
  })
  return (
    <>
      <PageHeader title="Agents">
        Software agents that are registered with ERC-8004, who owns them, and what clients say of them.
      </PageHeader>
      <Card flush>
        <AgentFilters />
        {page === 1 && (
          <NewRows
            noun="agent"
            counting={agentCountQuery(query)}
            listKey={agentListKey}
            total={listed.data?.total}
          />
        )}
        <Listing
          listed={listed}
          question={ordered}
          page={page}
          size={size}
          what="agents"
          empty={Object.keys(query).length > 0 ? <NothingPasses what="agent" /> : <NothingYet />}
          controls={<PageSize size={size} />}
        >
          {(table) => (
            <DataTable
              {...table}
              caption={captions[order ?? 'registered']}
              columns={columnsOf(sorting)}
              rowKey={({ id }) => id}
            />
          )}
        </Listing>
      </Card>
      <UseFromCode question={{ kind: 'agents', filter: ordered }} />
    </>
  )
}

const captions = {
  registered: 'Agents, newest first',
  updated: 'Agents, newest change first',
  feedback: 'Agents, most feedback first',
} as const

function NothingYet() {
  return (
    <EmptyState title="No agent is indexed yet" icon="search">
      <p>Agents appear here as soon as a chain with registries of ERC-8004 is indexed.</p>
    </EmptyState>
  )
}

const columnsOf = (sorting: (by: AgentsSearch['order']) => ColumnSort): readonly Column<AgentRow>[] => [
  {
    header: 'Agent',
    grow: true,
    characters: 20,
    lines: 2,
    inCard: 'head',
    cell: ({ id, name, description }) => (
      <>
        <div className={styles.line}>
          <AgentLink id={id} name={name} />
        </div>
        <div className={styles.description}>
          {description === '' ? ' ' : <SafeText text={description.replaceAll(/\s+/g, ' ')} lengthMax={140} />}
        </div>
      </>
    ),
  },
  chainColumn,
  {
    header: 'Speaks',
    wide: true,
    inCard: 'hidden',
    width: '9rem',
    characters: 10,
    cell: ({ endpoints }) => (
      <SafeText text={[...new Set(endpoints.map(({ name }) => name))].join(', ')} lengthMax={60} />
    ),
  },
  {
    header: 'Owner',
    width: '12rem',
    characters: 16,
    cell: ({ owner }) => <AgentAccount address={owner} />,
  },
  {
    header: 'Feedback',
    sort: sorting('feedback'),
    width: '7rem',
    align: 'end',
    characters: 4,
    cell: (row) => formatCount(row.feedbackCount),
  },
  {
    header: 'Clients',
    wide: true,
    width: '6.5rem',
    align: 'end',
    characters: 4,
    cell: (row) => formatCount(row.reviewerCount),
  },
  {
    header: 'Last change',
    sort: sorting('updated'),
    wide: true,
    inCard: 'hidden',
    width: '8.5rem',
    align: 'end',
    characters: 12,
    cell: (row) => <Time seconds={row.updatedTimestamp} />,
  },
  {
    header: 'Registered',
    sort: sorting(undefined),
    width: '8.5rem',
    align: 'end',
    characters: 12,
    cell: (row) => <Time seconds={row.registeredTimestamp} />,
  },
]
