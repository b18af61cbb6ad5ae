import { getRouteApi } from '@tanstack/react-router'
import { FilterBar } from '../../components/filters/FilterBar.tsx'
import { TextField } from '../../components/filters/TextField.tsx'
import { checkAddress, checkRecordId } from '../../format/checkFilter.ts'
import type { AddressSearch } from './addressSearch.ts'

const route = getRouteApi('/address/$address')

/** The filters of the attestations that an address made or received: by schema, and by the other party. */
export function AddressFilters({ role }: { readonly role: 'created' | 'received' }) {
  const { schemaId, other } = route.useSearch()
  const navigate = route.useNavigate()
  const narrow = (patch: AddressSearch) =>
    void navigate({ search: (earlier) => ({ ...earlier, ...patch, page: undefined }), resetScroll: false })
  return (
    <FilterBar>
      <TextField
        label="Schema id"
        placeholder="onchain_evm_…"
        mono
        value={schemaId}
        check={checkRecordId}
        onChange={(value) => narrow({ schemaId: value })}
      />
      <TextField
        key={role}
        label={role === 'created' ? 'Recipient' : 'Attester'}
        placeholder="0x…"
        mono
        value={other}
        check={checkAddress}
        onChange={(value) => narrow({ other: value })}
      />
    </FilterBar>
  )
}
