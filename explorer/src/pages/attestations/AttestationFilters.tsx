import { getRouteApi } from '@tanstack/react-router'
import { AttestationChips } from './AttestationChips.tsx'
import { DateFields } from './DateFields.tsx'
import { FilterBar } from '../../components/filters/FilterBar.tsx'
import { SelectField } from '../../components/filters/SelectField.tsx'
import { TextField } from '../../components/filters/TextField.tsx'
import { checkAddress, checkRecordId } from '../../format/checkFilter.ts'
import {
  dataLocations,
  statusFilterOf,
  statusParameters,
  type AttestationsSearch,
  type StatusFilter,
} from './attestationsSearch.ts'

const route = getRouteApi('/attestations')

const statusChoices: readonly { readonly value: StatusFilter; readonly label: string }[] = [
  { value: '', label: 'Any status' },
  { value: 'valid', label: 'Valid' },
  { value: 'revoked', label: 'Revoked' },
  { value: 'expired', label: 'Expired' },
]

const locationChoices = [
  { value: '', label: 'Anywhere' },
  { value: 'ONCHAIN', label: 'On chain' },
  { value: 'ARWEAVE', label: 'Arweave' },
  { value: 'IPFS', label: 'IPFS' },
  { value: 'CUSTOM', label: 'Another store' },
] as const

/** The filters of the list, all of them in the URL, and chips for the active ones. */
export function AttestationFilters() {
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const narrow = (patch: AttestationsSearch) => {
    // The interface combines a keyword only with a schema: any other filter replaces the keyword.
    const keyword = 'schemaId' in patch || 'keyword' in patch ? {} : { keyword: undefined }
    void navigate({
      search: (previous) => ({ ...previous, ...keyword, ...patch, page: undefined }),
      resetScroll: false,
    })
  }
  const { indexingValue, linkedAttestation, dataLocation, attestedFrom, attestedBefore, portal } = search
  const times = [attestedFrom, attestedBefore]
  const rare = [indexingValue, linkedAttestation, dataLocation, portal, ...times]
  return (
    <>
      <FilterBar
        moreCount={rare.filter((value) => value !== undefined).length}
        more={
          <>
            <DateFields from={attestedFrom} before={attestedBefore} onChange={narrow} />
            <TextField
              label="Indexing value"
              placeholder="Exactly as it was given"
              value={indexingValue}
              onChange={(value) => narrow({ indexingValue: value })}
            />
            <TextField
              label="Refers to"
              placeholder="Id of an attestation"
              mono
              value={linkedAttestation}
              check={checkRecordId}
              onChange={(value) => narrow({ linkedAttestation: value })}
            />
            <TextField
              label="Portal"
              placeholder="0x…"
              mono
              value={portal}
              check={checkAddress}
              onChange={(value) => narrow({ portal: value })}
            />
            <SelectField
              label="Payload kept"
              choices={locationChoices}
              value={dataLocation ?? ''}
              onChange={(value) => narrow({ dataLocation: dataLocations.find((each) => each === value) })}
            />
          </>
        }
      >
        <SelectField
          label="Status"
          choices={statusChoices}
          value={statusFilterOf(search)}
          onChange={(value) => narrow(statusParameters(value))}
        />
        <TextField
          label="Attester"
          placeholder="0x…"
          mono
          value={search.attester}
          check={checkAddress}
          onChange={(value) => narrow({ attester: value })}
        />
        <TextField
          label="Recipient"
          placeholder="Address or did:…"
          mono
          value={search.recipient}
          onChange={(value) => narrow({ recipient: value })}
        />
        <TextField
          label="Schema id"
          placeholder="onchain_evm_…"
          mono
          value={search.schemaId}
          check={checkRecordId}
          onChange={(value) => narrow({ schemaId: value })}
        />
      </FilterBar>
      <AttestationChips search={search} narrow={narrow} onClear={() => void navigate({ search: {} })} />
    </>
  )
}
