import { withoutAbsent } from '../../format/withoutAbsent.ts'
import { readChoice, readPage, readPageSize, readText } from '../../format/readSearch.ts'

export const addressTabs = ['created', 'received', 'schemas'] as const

/** The parameters of the page of an address, beside the address; undefined members are the defaults. */
export interface AddressSearch {
  readonly tab?: (typeof addressTabs)[number] | undefined
  readonly chainId?: string | undefined
  /** Of the attestations that it made or received. */
  readonly schemaId?: string | undefined
  /** The attester of what it received, or the recipient of what it made. */
  readonly other?: string | undefined
  readonly page?: number | undefined
  readonly size?: number | undefined
}

export function readAddressSearch(raw: Readonly<Record<string, unknown>>): AddressSearch {
  return {
    tab: readChoice(raw, 'tab', addressTabs),
    chainId: readText(raw, 'chainId'),
    schemaId: readText(raw, 'schemaId'),
    other: readText(raw, 'other'),
    page: readPage(raw),
    size: readPageSize(raw),
  }
}

/** The filters of the attestations that an address made or received. */
export function addressFilter(
  address: string,
  role: 'created' | 'received',
  { chainId, schemaId, other }: AddressSearch,
) {
  const [own, opposite] =
    role === 'created' ? (['attester', 'recipient'] as const) : (['recipient', 'attester'] as const)
  return withoutAbsent({ [own]: address, [opposite]: other, chainId, schemaId })
}
