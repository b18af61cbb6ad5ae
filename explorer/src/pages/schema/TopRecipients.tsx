import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { topRecipientsQuery } from '../../api/queries.ts'
import { Button } from '../../components/Button.tsx'
import { Card } from '../../components/Card.tsx'
import { formatCount } from '../../format/formatCount.ts'
import { TopAccounts } from './TopAccounts.tsx'

/** Attestations whose recipients are counted unasked: the index counts attesters as they come, recipients when asked. */
export const unaskedMax = 20_000

export interface TopRecipientsProps {
  readonly schemaId: string
  readonly protocol: string | undefined
  /** Attestations under the schema; undefined while it is not known, and null if it cannot be read. */
  readonly total: number | null | undefined
}

/** The recipients of the most attestations under a schema. */
export function TopRecipients({ schemaId, protocol, total }: TopRecipientsProps) {
  const [isAsked, setAsked] = useState(false)
  const isCounted = isAsked || (typeof total === 'number' && total <= unaskedMax)
  const { data, error, refetch } = useQuery({
    ...topRecipientsQuery(schemaId, protocol),
    enabled: isCounted,
  })
  if (total !== undefined && !isCounted)
    return (
      <Card title="Top recipients">
        <Button onClick={() => setAsked(true)}>
          {total === null ? 'Count them' : `Count those of ${formatCount(total)} attestations`}
        </Button>
      </Card>
    )
  return (
    <TopAccounts
      title="Top recipients"
      none="No recipient yet"
      accounts={data?.rows.map(({ key, count }) => ({ address: key, count }))}
      total={data?.total ?? 0}
      error={error}
      onRetry={() => void refetch()}
    />
  )
}
