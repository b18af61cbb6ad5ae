import { useQuery } from '@tanstack/react-query'
import { useSearch } from '@tanstack/react-router'
import { addressAttestationsQuery } from '../../api/queries.ts'
import { EmptyState } from '../../components/EmptyState.tsx'
import { Listing } from '../../components/Listing.tsx'
import { useMomentChain } from '../../components/useMoment.ts'
import { pageSizeDefault } from '../../format/readSearch.ts'
import { withoutAbsent } from '../../format/withoutAbsent.ts'
import { AttestationTable } from '../attestations/AttestationTable.tsx'

export interface AddressAttestationsProps {
  readonly address: string
  /** The attestations that the address made, or the ones that it received. */
  readonly role: 'created' | 'received'
}

export function AddressAttestations({ address, role }: AddressAttestationsProps) {
  const { page = 1, size = pageSizeDefault, chainId } = useSearch({ from: '/address/$address' })
  const listed = useQuery(
    addressAttestationsQuery(address, { type: role, page, size, ...withoutAbsent({ chainId }) }),
  )
  const momentChain = useMomentChain()
  const isMade = role === 'created'
  const what = isMade ? 'attestations made' : 'attestations received'
  return (
    <Listing
      listed={listed}
      question={{ role, chainId }}
      page={page}
      size={size}
      what={what}
      empty={
        <EmptyState title={`No ${what}`} icon="attestation">
          <p>{adviceFor(momentChain ?? chainId)}</p>
        </EmptyState>
      }
    >
      {(table) => (
        <AttestationTable
          {...table}
          caption={isMade ? 'Attestations that it made' : 'Attestations that it received'}
        />
      )}
    </Listing>
  )
}

function adviceFor(chainId: string | undefined): string {
  return chainId === undefined
    ? 'Nothing of the kind is indexed on any chain.'
    : 'Nothing of the kind is indexed on this chain; there may be more on all chains.'
}
