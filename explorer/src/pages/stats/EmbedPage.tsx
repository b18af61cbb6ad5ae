import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import type { Grown, StatsFilter } from '../../api/monthCounts.ts'
import { schemaQuery } from '../../api/queries.ts'
import { useChainName, useProtocolName } from '../../components/filters/useChainChoices.ts'
import { Icon } from '../../components/Icon.tsx'
import { SafeText } from '../../components/SafeText.tsx'
import { useTitle } from '../../components/useTitle.ts'
import { localIdOf } from '../../format/localIdOf.ts'
import { withoutAbsent } from '../../format/withoutAbsent.ts'
import { MonthChart } from './MonthChart.tsx'
import { embedPath } from './statsSearch.ts'
import styles from './StatsPage.module.css'

const route = getRouteApi(embedPath)

/** The names of figures. */
const names: Readonly<Record<Grown, string>> = {
  attestations: 'Attestations',
  revocations: 'Revocations',
  attesters: 'Attesters',
  recipients: 'Recipients',
}

/** One chart of the page of statistics, for a frame of another site. */
export function EmbedPage() {
  const { figure = 'attestations', view = 'new', chainId, protocol, schemaId } = route.useSearch()
  const filter = withoutAbsent({ chainId, protocol, schemaId })
  useTitle(names[figure])
  return (
    <MonthChart
      grown={figure}
      name={names[figure]}
      filter={filter}
      initialView={view}
      about={<About filter={filter} />}
      actions={
        <Link to="/stats" search={filter} target="_blank" className={styles.source}>
          {window.location.host} <Icon name="external" />
        </Link>
      }
    />
  )
}

/** Whose records are counted; nothing for those of all chains. */
function About({ filter: { chainId, protocol, schemaId } }: { readonly filter: StatsFilter }) {
  const chain = useChainName(chainId)
  const protocolShown = useProtocolName(protocol)
  const { data: schema } = useQuery({
    ...schemaQuery(schemaId ?? '', protocol),
    enabled: schemaId !== undefined,
  })
  const places = [chainId !== undefined && chain, protocol !== undefined && protocolShown].filter(Boolean)
  if (schemaId === undefined) return places.join(', ')
  return <SafeText text={schema?.name.trim() || localIdOf(schemaId)} lengthMax={60} />
}
