import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { chainsQuery } from '../../api/queries.ts'
import type { Chain } from '../../api/types.ts'
import { Card } from '../../components/Card.tsx'
import { ChainBadge } from '../../components/ChainBadge.tsx'
import { ChainProgressBar } from '../../components/ChainProgressBar.tsx'
import { ChainStateWord } from '../../components/ChainStateWord.tsx'
import { DataTable, type Column, type ColumnSort } from '../../components/DataTable.tsx'
import { EmptyState } from '../../components/EmptyState.tsx'
import { ErrorState } from '../../components/ErrorState.tsx'
import { PageHeader } from '../../components/PageHeader.tsx'
import { useAnswerAge } from '../../components/useAnswerAge.ts'
import { useTitle } from '../../components/useTitle.ts'
import { byState, chainState, concernOf } from '../../format/chainState.ts'
import { completenessWord } from '../../format/describeHistory.ts'
import { formatCount } from '../../format/formatCount.ts'
import type { ChainsSearch } from './chainsSearch.ts'

/** All chains: the state and the completeness of each. */
export function ChainsPage() {
  useTitle('Chains')
  const { data: chains, error, refetch } = useQuery(chainsQuery())
  const answerAge = useAnswerAge()
  const { order } = useSearch({ from: '/chains' })
  const navigate = useNavigate({ from: '/chains' })
  const compare = order === undefined ? byConcern : comparisons[order]
  const rows = chains?.toSorted((a, b) => compare(a, b) || b.attestationCount - a.attestationCount)
  const sorting = (by: ChainOrder): ColumnSort => ({
    direction: order !== by ? null : by === 'name' ? 'ascending' : 'descending',
    onSort: () =>
      void navigate({
        search: (previous) => ({ ...previous, order: order === by ? undefined : by }),
        resetScroll: false,
      }),
  })
  return (
    <>
      <PageHeader title="Chains">
        {rows === undefined
          ? ' '
          : byState(rows, answerAge)
              .map(({ label, chains: those }) => `${formatCount(those.length)} ${label.toLowerCase()}`)
              .join(', ')}
      </PageHeader>
      <Card flush>
        {error !== null && rows === undefined ? (
          <ErrorState error={error} onRetry={() => void refetch()} />
        ) : (
          <DataTable
            caption="Chains of the index"
            columns={columnsOf(sorting)}
            rows={rows}
            rowKey={({ chainId }) => chainId}
            empty={
              <EmptyState title="No chain is indexed yet">
                <p>Chains appear once their indexer has begun.</p>
              </EmptyState>
            }
          />
        )}
      </Card>
    </>
  )
}

type ChainOrder = NonNullable<ChainsSearch['order']>

/** Chains that need somebody's attention stand first. */
const byConcern = (a: Chain, b: Chain): number => concernOf(a) - concernOf(b)

const comparisons: Readonly<Record<ChainOrder, (a: Chain, b: Chain) => number>> = {
  name: (a, b) => a.name.localeCompare(b.name, 'en'),
  schemas: (a, b) => b.schemaCount - a.schemaCount,
  revocations: (a, b) => b.revocationCount - a.revocationCount,
  attestations: (a, b) => b.attestationCount - a.attestationCount,
}

const columnsOf = (sorting: (by: ChainOrder) => ColumnSort): readonly Column<Chain>[] => [
  {
    header: 'Chain',
    sort: sorting('name'),
    width: '11rem',
    inCard: 'head',
    cell: ({ chainId }) => <ChainBadge chainId={chainId} />,
  },
  { header: 'State', grow: true, inCard: 'bare', cell: (chain) => <State chain={chain} /> },
  {
    header: 'Completeness',
    width: '11rem',
    cell: ({ completeness }) => completenessWord(completeness),
  },
  {
    header: 'Indexed block',
    width: '9rem',
    align: 'end',
    cell: ({ indexedBlock }) => (indexedBlock === null ? 'None yet' : formatCount(indexedBlock)),
  },
  {
    header: 'Schemas',
    sort: sorting('schemas'),
    wide: true,
    inCard: 'hidden',
    width: '7rem',
    align: 'end',
    cell: ({ schemaCount }) => formatCount(schemaCount),
  },
  {
    header: 'Revocations',
    sort: sorting('revocations'),
    wide: true,
    inCard: 'hidden',
    width: '8rem',
    align: 'end',
    cell: ({ revocationCount }) => formatCount(revocationCount),
  },
  {
    header: 'Attestations',
    sort: sorting('attestations'),
    width: '8rem',
    align: 'end',
    cell: ({ attestationCount }) => formatCount(attestationCount),
  },
]

function State({ chain }: { readonly chain: Chain }) {
  const answerAge = useAnswerAge()
  return (
    <div>
      <ChainStateWord chain={chain} state={chainState(chain, answerAge)} />
      <ChainProgressBar chain={chain} />
    </div>
  )
}
