import { Address } from '../../components/Address.tsx'
import { Card } from '../../components/Card.tsx'
import { EmptyState } from '../../components/EmptyState.tsx'
import { ErrorState } from '../../components/ErrorState.tsx'
import { TopList } from '../../components/TopList.tsx'

export interface TopAccountsProps {
  readonly title: string
  /** Shown if the list is empty. */
  readonly none: string
  /** Undefined while they are not known. */
  readonly accounts: readonly { readonly address: string; readonly count: number }[] | undefined
  /** Attestations under the schema. */
  readonly total: number
  readonly error: Error | null
  readonly onRetry: () => void
}

/** The accounts of the most attestations under the schema, and their shares of all. */
export function TopAccounts({ title, none, accounts, total, error, onRetry }: TopAccountsProps) {
  return (
    <Card title={title} flush>
      {error !== null && accounts === undefined ? (
        <ErrorState error={error} onRetry={onRetry} />
      ) : accounts?.length === 0 ? (
        <EmptyState title={none} icon="address" />
      ) : (
        <TopList
          total={total}
          rows={accounts?.map(({ address, count }) => ({
            key: address,
            label: <Address address={address} />,
            count,
          }))}
        />
      )}
    </Card>
  )
}
