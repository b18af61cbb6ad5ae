import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useMemo, useState } from 'react'
import { statsQuery } from '../../api/queries.ts'
import type { IndexStatistics } from '../../api/types.ts'
import { ActivityCard } from '../../components/ActivityCard.tsx'
import { Segments } from '../../components/Segments.tsx'
import { useChains } from '../../components/useChain.ts'
import { protocolName } from '../../format/protocolName.ts'
import { splitActivity, type Split } from './splitActivity.ts'

/** Attestations of each day, in total, or by chain or protocol if there are several. */
export function HomeActivity() {
  const { data, error, refetch } = useQuery(statsQuery())
  const chains = useChains()
  const [split, setSplit] = useState<Split>('none')
  const choices = useMemo(() => choicesFor(data), [data])
  const names = useMemo(() => new Map(chains?.map(({ chainId, name }) => [chainId, name])), [chains])
  const { days, series } = useMemo(
    () =>
      splitActivity(data ?? nothing, split, (part) =>
        split === 'chain' ? (names.get(part) ?? `Chain ${part}`) : protocolName(chains, part),
      ),
    [data, split, names, chains],
  )
  return (
    <ActivityCard
      title="Attestations per day"
      activity={{ data: data === undefined ? undefined : days, error, refetch }}
      series={series}
      empty="The first attestation will appear here as soon as it is indexed."
      controls={
        <>
          <Link to="/stats">Statistics</Link>
          {choices.length > 1 && (
            <Segments label="Split by" choices={choices} value={split} onChange={setSplit} />
          )}
        </>
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
