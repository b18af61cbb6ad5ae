import { type AttestationFilter, everyAttestation, type IndexQueries } from '../../store/indexQueries.ts'
import type {
  AddressAttestationQuery,
  AttestationFields,
  IndexReader,
  Page,
  PageRequest,
  StoredAttestation,
} from '../../store/indexReader.ts'
import { readFilteredPage } from './readFilteredPage.ts'

/**
 * A page of the attestations that pass a filter, newest first. A list that the store keeps (all, of a schema, an
 * attester, a recipient or a value of a field; on a chain, under a schema) has any page at the same cost;
 * `readFilteredPage` documents the cost of the others.
 * @throws BadParameterError, StoreTooMuchWorkError
 */
export async function pageAttestations(
  reader: IndexReader,
  queries: IndexQueries,
  filter: AttestationFilter,
  page: PageRequest,
  fields: AttestationFields,
): Promise<Page<StoredAttestation>> {
  const { schema, chainId } = filter
  if (schema !== null && chainId !== null && schema.chainId !== chainId) return { total: 0, rows: [] }
  if (isOnly(filter, schema === null ? ['schema'] : ['schema', 'chainId'])) {
    return await reader.listAttestations({ schema, keyword: null, fields, ...page })
  }
  const account = accountOf(filter)
  if (account !== null && isOnly(filter, [account.member, 'schema', 'chainId'])) {
    return await reader.listAttestationsOfAddress({
      address: account.address,
      role: account.role,
      chainId,
      schema: schema === null ? null : { kind: 'key', key: schema },
      ...page,
    })
  }
  const ofField =
    filter.fields.length === 1 && isOnly({ ...filter, fields: [] }, ['schema', 'chainId'])
      ? await queries.listAttestationsOfField(filter, page, fields)
      : null
  if (ofField !== null) return ofField
  return await readFilteredPage(
    {
      count: () => queries.countAttestations(filter),
      slice: (request, purpose) =>
        queries.sliceAttestations({ ...request, filter }, purpose === 'read' ? fields : nothing),
    },
    page,
  )
}

const nothing: AttestationFields = { detail: false, schema: false }

type Member = Exclude<keyof AttestationFilter, 'fields'>

/** Whether a filter narrows by these members and no others. */
function isOnly(filter: AttestationFilter, members: readonly Member[]): boolean {
  const isOpen = (member: Member) => filter[member] === null || members.includes(member)
  return filter.fields.length === 0 && filterMembers.every(isOpen)
}

// The object has exactly the members of its type.
const filterMembers = (Object.keys(everyAttestation) as readonly (keyof AttestationFilter)[]).filter(
  (member) => member !== 'fields',
)

function accountOf({
  attester,
  recipient,
}: AttestationFilter):
  | (Pick<AddressAttestationQuery, 'address' | 'role'> & { readonly member: Member })
  | null {
  if (attester !== null) return { member: 'attester', address: attester, role: 'created' }
  if (recipient?.kind !== 'address') return null
  return { member: 'recipient', address: recipient.address, role: 'received' }
}
