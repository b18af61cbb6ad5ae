import { getRouteApi } from '@tanstack/react-router'
import { Address } from '../../components/Address.tsx'
import { FilterBar } from '../../components/filters/FilterBar.tsx'
import { FilterChips, type FilterChip } from '../../components/filters/FilterChips.tsx'
import { SelectField } from '../../components/filters/SelectField.tsx'
import { TextField } from '../../components/filters/TextField.tsx'
import { useChainName } from '../../components/filters/useChainChoices.ts'
import { SafeText } from '../../components/SafeText.tsx'
import { checkAddress } from '../../format/checkFilter.ts'
import type { AgentsSearch } from './agentsSearch.ts'

const route = getRouteApi('/agents')

const activeChoices = [
  { value: '', label: 'Any' },
  { value: 'true', label: 'Say that they are active' },
  { value: 'false', label: 'Say that they are not' },
] as const

const feedbackChoices = [
  { value: '', label: 'Any' },
  { value: 'true', label: 'With feedback' },
  { value: 'false', label: 'Without feedback' },
] as const

const orderChoices = [
  { value: '', label: 'Newest first' },
  { value: 'updated', label: 'Newest change first' },
  { value: 'feedback', label: 'Most feedback first' },
] as const

/** The filters of the list, all of them in the URL. */
export function AgentFilters() {
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const chainName = useChainName(search.chainId)
  const narrow = (patch: AgentsSearch) =>
    void navigate({
      search: (previous) => ({ ...previous, ...patch, page: undefined }),
      resetScroll: false,
    })
  return (
    <>
      <FilterBar
        moreCount={[search.owner, search.active, search.service, search.capability].filter(Boolean).length}
        more={
          <>
            <TextField
              label="Owner"
              placeholder="0x…"
              mono
              value={search.owner}
              check={checkAddress}
              onChange={(owner) => narrow({ owner })}
            />
            <SelectField
              label="Active"
              choices={activeChoices}
              value={search.active ?? ''}
              onChange={(value) => narrow({ active: value === '' ? undefined : value })}
            />
            <TextField
              label="Speaks"
              placeholder="MCP, A2A or another"
              value={search.service}
              onChange={(service) => narrow({ service })}
            />
            <TextField
              label="Skill, domain or trust"
              placeholder="Exactly as the agent says it"
              value={search.capability}
              onChange={(capability) => narrow({ capability })}
            />
          </>
        }
      >
        <TextField
          label="Name, description or id"
          placeholder="Find an agent"
          type="search"
          value={search.keyword}
          onChange={(keyword) => narrow({ keyword })}
        />
        <SelectField
          label="Feedback"
          choices={feedbackChoices}
          value={search.hasFeedback ?? ''}
          onChange={(value) => narrow({ hasFeedback: value === '' ? undefined : value })}
        />
        <SelectField
          label="Order"
          choices={orderChoices}
          value={search.order ?? ''}
          onChange={(value) => narrow({ order: value === '' ? undefined : value })}
        />
      </FilterBar>
      <FilterChips
        chips={chipsOf(search, narrow, chainName)}
        onClear={() => void navigate({ search: ({ order }) => ({ order }), resetScroll: false })}
      />
    </>
  )
}

function chipsOf(
  { keyword, chainId, owner, active, hasFeedback, service, capability }: AgentsSearch,
  narrow: (patch: AgentsSearch) => void,
  chainName: string,
): readonly FilterChip[] {
  const chips: FilterChip[] = []
  const add = (label: string, value: FilterChip['value'], removal: AgentsSearch) =>
    chips.push({ name: label, label, value, onRemove: () => narrow(removal) })
  if (keyword !== undefined)
    add('Matches', <SafeText text={keyword} lengthMax={80} />, { keyword: undefined })
  if (chainId !== undefined) add('Chain', chainName, { chainId: undefined })
  if (owner !== undefined) add('Owner', <Address address={owner} copyable={false} />, { owner: undefined })
  if (active !== undefined) add('Active', active === 'true' ? 'yes' : 'no', { active: undefined })
  if (hasFeedback !== undefined)
    add('Feedback', hasFeedback === 'true' ? 'some' : 'none', { hasFeedback: undefined })
  if (service !== undefined) add('Speaks', <SafeText text={service} lengthMax={80} />, { service: undefined })
  if (capability !== undefined)
    add('Says', <SafeText text={capability} lengthMax={80} />, { capability: undefined })
  return chips
}
