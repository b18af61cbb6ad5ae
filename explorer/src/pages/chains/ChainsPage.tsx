import { useQuery } from '@tanstack/react-query'
import { chainsQuery } from '../../api/queries.ts'
import type { Chain } from '../../api/types.ts'
import { Card } from '../../components/Card.tsx'
import { ChainBadge } from '../../components/ChainBadge.tsx'
import { ChainProgressBar } from '../../components/ChainProgressBar.tsx'
import { ChainStateWord } from '../../components/ChainStateWord.tsx'
import { DataTable, type Column } from '../../components/DataTable.tsx'
import { EmptyState } from '../../components/EmptyState.tsx'
import { ErrorState } from '../../components/ErrorState.tsx'
import { PageHeader } from '../../components/PageHeader.tsx'
import { useAnswerAge } from '../../components/useAnswerAge.ts'
import { useTitle } from '../../components/useTitle.ts'
import { byState, chainState, concernOf } from '../../format/chainState.ts'
import { completenessWord } from '../../format/describeHistory.ts'
import { formatCount } from '../../format/formatCount.ts'

/** All chains: the state and the completeness of each. */
export function ChainsPage() {
  useTitle('Chains')
  const { data: chains, error, refetch } = useQuery(chainsQuery())
  const answerAge = useAnswerAge()
  const rows = chains?.toSorted(
    (a, b) => concernOf(a) - concernOf(b) || b.attestationCount - a.attestationCount,
  )
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
            columns={columns}
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

const columns: readonly Column<Chain>[] = [
  {
    header: 'Chain',
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
    wide: true,
    width: '7rem',
    align: 'end',
    cell: ({ schemaCount }) => formatCount(schemaCount),
  },
  {
    header: 'Revocations',
    wide: true,
    width: '8rem',
    align: 'end',
    cell: ({ revocationCount }) => formatCount(revocationCount),
  },
  {
    header: 'Attestations',
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
