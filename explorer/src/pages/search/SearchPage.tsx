import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link, Navigate, useLocation } from '@tanstack/react-router'
import { searchQuery, transactionQuery } from '../../api/queries.ts'
import type { SearchGroup } from '../../api/types.ts'
import { Card } from '../../components/Card.tsx'
import { EmptyState } from '../../components/EmptyState.tsx'
import { ErrorState } from '../../components/ErrorState.tsx'
import { PageHeader } from '../../components/PageHeader.tsx'
import { SafeText } from '../../components/SafeText.tsx'
import { SkeletonBlock } from '../../components/Skeleton.tsx'
import { UseFromCode } from '../../components/UseFromCode.tsx'
import { useLinkedProtocol } from '../../components/useProtocol.ts'
import { useTitle } from '../../components/useTitle.ts'
import { formatCount, formatQuantity } from '../../format/formatCount.ts'
import { plainText } from '../../format/inspectText.ts'
import { exactRecord, isTransactionHash } from '../../search/exactRecord.ts'
import { Found } from './Found.tsx'
import styles from './SearchPage.module.css'

const route = getRouteApi('/search')

/** All results of a search, by kind. From the search box, a keyword that names one record or transaction leads on to it. */
export function SearchPage() {
  const { q } = route.useSearch()
  useTitle(q === undefined ? 'Search' : `Search: ${plainText(q, 60)}`)
  return q === undefined ? <Hint title="What are you looking for?" wholePage /> : <Results keyword={q} />
}

function Results({ keyword }: { readonly keyword: string }) {
  const found = useQuery(searchQuery(keyword))
  const groups = found.data
  const linkedProtocol = useLinkedProtocol()
  const opensRecord = useLocation({ select: ({ state }) => state.opensRecord === true })
  const record = opensRecord && groups !== undefined ? exactRecord(keyword, groups) : null
  const mayBeTransaction =
    opensRecord && groups !== undefined && record === null && isTransactionHash(keyword)
  const transaction = useQuery({ ...transactionQuery(keyword.trim()), enabled: mayBeTransaction })
  if (record !== null) {
    const { page, id, protocol } = record
    return <Navigate to={page} params={{ id }} search={{ protocol: linkedProtocol(id, protocol) }} replace />
  }
  if (mayBeTransaction && transaction.data !== undefined) {
    return <Navigate to="/transaction/$hash" params={{ hash: keyword.trim() }} replace />
  }
  const total = groups?.reduce((sum, group) => sum + group.total, 0)
  return (
    <>
      <PageHeader kind="Search" title={<SafeText text={keyword} lengthMax={80} />}>
        {total === undefined ? ' ' : formatQuantity(total, 'result')}
      </PageHeader>
      {found.isError ? (
        <ErrorState error={found.error} onRetry={() => void found.refetch()} />
      ) : groups === undefined || (mayBeTransaction && transaction.isPending) ? (
        <SkeletonBlock className={styles.pending} />
      ) : total === 0 ? (
        <Hint title="Nothing was found" />
      ) : (
        <div className={styles.groups}>
          {groups.map(
            (group) => group.total > 0 && <Group key={group.type} group={group} keyword={keyword} />,
          )}
        </div>
      )}
      <UseFromCode question={{ kind: 'search', keyword }} />
    </>
  )
}

function Group({ group, keyword }: { readonly group: SearchGroup; readonly keyword: string }) {
  const { type, total, rows } = group
  const { title, all } = groupLooks[type]
  return (
    <Card
      flush
      title={`${title} (${formatCount(total)})`}
      actions={
        all !== null &&
        total > rows.length && (
          <Link to={all} search={{ keyword }}>
            All {formatQuantity(total, type)}
          </Link>
        )
      }
    >
      <Found group={group} />
    </Card>
  )
}

/** The name of each kind, and the page that lists all of it. */
const groupLooks = {
  schema: { title: 'Schemas', all: '/schemas' },
  attestation: { title: 'Attestations', all: '/attestations' },
  address: { title: 'Addresses', all: null },
  agent: { title: 'Agents', all: '/agents' },
  value: { title: 'Values of fields', all: null },
  name: { title: 'Names', all: null },
} as const

function Hint({ title, wholePage = false }: { readonly title: string; readonly wholePage?: boolean }) {
  return (
    <EmptyState title={title} icon="search" wholePage={wholePage}>
      <ul className={styles.hints}>
        <li>Part of the name or description of a schema, or of a name that this explorer shows</li>
        <li>The id of a schema or attestation, whole or its beginning (0x1a), or its number</li>
        <li>An address, or at least its first six digits</li>
        <li>A link to a record on easscan, SignScan, Verax’s explorer or another Attestry</li>
        <li>A value of a field, exactly: Lisbon</li>
        <li>A transaction, an indexing value, or a recipient such as did:key:…, exactly</li>
      </ul>
    </EmptyState>
  )
}
