import { useQuery } from '@tanstack/react-query'
import { useSearch } from '@tanstack/react-router'
import { attestationCountQuery, attestationListKey, attestationsQuery } from '../../api/queries.ts'
import { EmptyState } from '../../components/EmptyState.tsx'
import { Listing } from '../../components/Listing.tsx'
import { NewRows } from '../../components/NewRows.tsx'
import { NothingPasses } from '../../components/filters/NothingPasses.tsx'
import { useIsPast, useMomentChain } from '../../components/useMoment.ts'
import { pageSizeDefault } from '../../format/readSearch.ts'
import { AttestationTable } from '../attestations/AttestationTable.tsx'
import { AddressFilters } from './AddressFilters.tsx'
import { addressFilter } from './addressSearch.ts'

export interface AddressAttestationsProps {
  readonly address: string
  /** The attestations that the address made, or the ones that it received. */
  readonly role: 'created' | 'received'
}

export function AddressAttestations({ address, role }: AddressAttestationsProps) {
  const search = useSearch({ from: '/address/$address' })
  const { page = 1, size = pageSizeDefault, chainId, schemaId, other } = search
  const query = addressFilter(address, role, search)
  const listed = useQuery(attestationsQuery({ ...query, page, size }))
  const momentChain = useMomentChain()
  const isPast = useIsPast()
  const isMade = role === 'created'
  const what = isMade ? 'attestations made' : 'attestations received'
  return (
    <>
      <AddressFilters role={role} />
      {page === 1 && !isPast && (
        <NewRows
          noun="attestation"
          counting={attestationCountQuery(query)}
          listKey={attestationListKey}
          total={listed.data?.total}
        />
      )}
      <Listing
        listed={listed}
        question={query}
        page={page}
        size={size}
        what={what}
        empty={
          schemaId !== undefined || other !== undefined ? (
            <NothingPasses what="attestation" />
          ) : (
            <EmptyState title={`No ${what}`} icon="attestation">
              <p>{adviceFor(momentChain ?? chainId)}</p>
            </EmptyState>
          )
        }
      >
        {(table) => (
          <AttestationTable
            {...table}
            caption={isMade ? 'Attestations that it made' : 'Attestations that it received'}
          />
        )}
      </Listing>
    </>
  )
}

function adviceFor(chainId: string | undefined): string {
  return chainId === undefined
    ? 'Nothing of the kind is indexed on any chain.'
    : 'Nothing of the kind is indexed on this chain; there may be more on all chains.'
}
