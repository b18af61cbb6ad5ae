import { getRouteApi } from '@tanstack/react-router'
import { Address } from '../../components/Address.tsx'
import { FilterBar } from '../../components/filters/FilterBar.tsx'
import { FilterChips, type FilterChip } from '../../components/filters/FilterChips.tsx'
import { SelectField } from '../../components/filters/SelectField.tsx'
import { TextField } from '../../components/filters/TextField.tsx'
import { useChainName, useProtocolName } from '../../components/filters/useChainChoices.ts'
import { useIsPast } from '../../components/useMoment.ts'
import { SafeText } from '../../components/SafeText.tsx'
import { checkAddress } from '../../format/checkFilter.ts'
import type { SchemasSearch } from './schemasSearch.ts'

const route = getRouteApi('/schemas')

const orderChoices = [
  { value: '', label: 'Newest first' },
  { value: 'oldest', label: 'Oldest first' },
  { value: 'top', label: 'Most attestations (top 10)' },
  { value: 'trending', label: 'Trending this week (top 10)' },
] as const

/** Rankings are of the present. */
const pastOrderChoices = orderChoices.filter(({ value }) => value === '' || value === 'oldest')

const revocableChoices = [
  { value: '', label: 'Any' },
  { value: 'true', label: 'Revocable' },
  { value: 'false', label: 'Not revocable' },
] as const

/** The order and the filters of the list, all of them in the URL. Rankings cover the whole index. */
export function SchemaFilters() {
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const isPast = useIsPast()
  const names = {
    chainName: useChainName(search.chainId),
    protocolName: useProtocolName(search.protocol),
  }
  // The interface combines a keyword with no filter, and a ranking with neither: the last choice counts.
  const narrow = (patch: SchemasSearch) =>
    void navigate({
      search: (previous) => ({
        ...previous,
        order: previous.order === 'oldest' ? 'oldest' : undefined,
        keyword: undefined,
        ...patch,
        page: undefined,
      }),
      resetScroll: false,
    })
  const find = (keyword: string | undefined) =>
    void navigate({
      search: ({ order, size }) => ({ keyword, size, order: order === 'oldest' ? order : undefined }),
    })
  const sort = (order: SchemasSearch['order']) =>
    void navigate({
      search: (previous) =>
        order === 'top' || order === 'trending' ? { order } : { ...previous, order, page: undefined },
      resetScroll: false,
    })
  return (
    <>
      <FilterBar
        moreCount={[search.resolver, search.revocable].filter(Boolean).length}
        more={
          <>
            <TextField
              label="Resolver"
              placeholder="0x…; all zeros: none"
              mono
              value={search.resolver}
              check={checkAddress}
              onChange={(resolver) => narrow({ resolver })}
            />
            <SelectField
              label="Revocable"
              choices={revocableChoices}
              value={search.revocable ?? ''}
              onChange={(value) => narrow({ revocable: value === '' ? undefined : value })}
            />
          </>
        }
      >
        <TextField
          label="Name or description"
          placeholder="Find a schema"
          type="search"
          value={search.keyword}
          onChange={find}
        />
        <SelectField
          label="Order"
          choices={isPast ? pastOrderChoices : orderChoices}
          value={search.order ?? ''}
          onChange={(value) => sort(value === '' ? undefined : value)}
        />
        <TextField
          label="Registrant"
          placeholder="0x…"
          mono
          value={search.registrant}
          check={checkAddress}
          onChange={(registrant) => narrow({ registrant })}
        />
      </FilterBar>
      <FilterChips
        chips={chipsOf(search, narrow, names)}
        onClear={() => void navigate({ search: {}, resetScroll: false })}
      />
    </>
  )
}

function chipsOf(
  search: SchemasSearch,
  narrow: (patch: SchemasSearch) => void,
  { chainName, protocolName }: { readonly chainName: string; readonly protocolName: string },
): readonly FilterChip[] {
  const { keyword, chainId, protocol, registrant, resolver, revocable } = search
  const chips: FilterChip[] = []
  const add = (label: string, value: FilterChip['value'], removal: SchemasSearch) =>
    chips.push({ name: label, label, value, onRemove: () => narrow(removal) })
  // The interface combines a keyword with no other filter.
  if (keyword !== undefined) {
    add('Matches', <SafeText text={keyword} lengthMax={80} />, { keyword: undefined })
    return chips
  }
  if (chainId !== undefined) add('Chain', chainName, { chainId: undefined })
  if (protocol !== undefined) add('Protocol', protocolName, { protocol: undefined })
  if (registrant !== undefined)
    add('Registrant', <Address address={registrant} copyable={false} />, { registrant: undefined })
  if (resolver !== undefined)
    add('Resolver', <Address address={resolver} copyable={false} />, { resolver: undefined })
  if (revocable !== undefined) add('Revocable', revocable === 'true' ? 'yes' : 'no', { revocable: undefined })
  return chips
}
