import { readChoice, readPage, readPageSize, readText } from '../../format/readSearch.ts'

export const addressTabs = ['created', 'received', 'schemas'] as const

/** The parameters of the page of an address, beside the address; undefined members are the defaults. */
export interface AddressSearch {
  readonly tab?: (typeof addressTabs)[number] | undefined
  readonly chainId?: string | undefined
  readonly page?: number | undefined
  readonly size?: number | undefined
}

export function readAddressSearch(raw: Readonly<Record<string, unknown>>): AddressSearch {
  return {
    tab: readChoice(raw, 'tab', addressTabs),
    chainId: readText(raw, 'chainId'),
    page: readPage(raw),
    size: readPageSize(raw),
  }
}
