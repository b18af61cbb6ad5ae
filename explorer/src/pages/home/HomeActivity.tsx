import { useQuery } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import { chainsQuery } from '../../api/queries.ts'
import type { IndexStatistics } from '../../api/types.ts'
import { ActivityCard } from '../../components/ActivityCard.tsx'
import { Segments } from '../../components/Segments.tsx'
import { protocolName } from '../../format/protocolName.ts'
import { splitActivity, type Split } from './splitActivity.ts'

export interface HomeActivityProps {
  readonly stats: IndexStatistics | undefined
  readonly error: Error | null
  readonly onRetry: () => void
}

/** What was attested each day, as a whole or by chain or protocol where there are several. */
export function HomeActivity({ stats, error, onRetry }: HomeActivityProps) {
  const { data: chains } = useQuery(chainsQuery())
  const [split, setSplit] = useState<Split>('none')
  const choices = useMemo(() => choicesFor(stats), [stats])
  const names = useMemo(() => new Map(chains?.map(({ chainId, name }) => [chainId, name])), [chains])
  const { days, series } = useMemo(
    () =>
      splitActivity(stats ?? nothing, split, (part) =>
        split === 'chain' ? (names.get(part) ?? `Chain ${part}`) : protocolName(part),
      ),
    [stats, split, names],
  )
  return (
    <ActivityCard
      title="Attestations per day"
      rows={stats === undefined ? undefined : days}
      series={series}
      error={error}
      onRetry={onRetry}
      empty="The first attestation will appear here as soon as it is indexed."
      controls={
        choices.length > 1 && (
          <Segments label="Split by" choices={choices} value={split} onChange={setSplit} />
        )
      }
    />
  )
}

const nothing = { days: [], protocols: [] }

function choicesFor(stats: IndexStatistics | undefined) {
  const parts = stats?.protocols ?? []
  const several = (values: readonly string[]) => new Set(values).size > 1
  const choices: { readonly value: Split; readonly label: string }[] = [{ value: 'none', label: 'Total' }]
  if (several(parts.map(({ chainId }) => chainId))) choices.push({ value: 'chain', label: 'By chain' })
  if (several(parts.map(({ protocol }) => protocol)))
    choices.push({ value: 'protocol', label: 'By protocol' })
  return choices
}
