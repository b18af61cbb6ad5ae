import { useQuery } from '@tanstack/react-query'
import { Link, Navigate } from '@tanstack/react-router'
import { searchQuery } from '../../api/queries.ts'
import { EmptyState } from '../../components/EmptyState.tsx'
import { ErrorState } from '../../components/ErrorState.tsx'
import { SkeletonBlock } from '../../components/Skeleton.tsx'
import { useLinkedProtocol } from '../../components/useProtocol.ts'
import { exactRecord } from '../../search/exactRecord.ts'
import styles from './VerifyPage.module.css'

/** Opens the attestation with a uid, or says that it is not indexed here. */
export function UidAnswer({ uid }: { readonly uid: string }) {
  const found = useQuery(searchQuery(uid))
  const linkedProtocol = useLinkedProtocol()
  if (found.isError) return <ErrorState error={found.error} onRetry={() => void found.refetch()} />
  if (found.data === undefined) return <SkeletonBlock className={styles.pending} />
  const record = exactRecord(uid, found.data)
  if (record !== null) {
    const { page, id, protocol } = record
    return <Navigate to={page} params={{ id }} search={{ protocol: linkedProtocol(id, protocol) }} />
  }
  const total = found.data.reduce((sum, group) => sum + group.total, 0)
  return total > 0 ? (
    <EmptyState title="Several records have this uid" icon="search">
      <p>
        <Link to="/search" search={{ q: uid }}>
          Show all of them
        </Link>
      </p>
    </EmptyState>
  ) : (
    <EmptyState title="This attestation is not indexed here" icon="search">
      <p>
        No indexed chain has a record with this uid. An off-chain attestation is verified by its whole text or
        its link: a uid alone does not hold it.
      </p>
    </EmptyState>
  )
}
