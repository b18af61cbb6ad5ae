/** The texts of the search, before and after its typeahead is loaded. */
export const searchLabel = 'Search schemas, attestations and addresses'

export const placeholders = {
  header: 'Search',
  page: 'Search by name, id, address, transaction, DID …',
} as const
