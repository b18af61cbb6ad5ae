import { useQuery } from '@tanstack/react-query'
import { useSearch } from '@tanstack/react-router'
import { addressAttestationsQuery } from '../../api/queries.ts'
import type { AddressAttestation } from '../../api/types.ts'
import { Address } from '../../components/Address.tsx'
import { ChainBadge } from '../../components/ChainBadge.tsx'
import { DataTable, type Column } from '../../components/DataTable.tsx'
import { EmptyState } from '../../components/EmptyState.tsx'
import { ErrorState } from '../../components/ErrorState.tsx'
import { Pagination } from '../../components/Pagination.tsx'
import { Recipients } from '../../components/Recipients.tsx'
import { AttestationLink, SchemaLink } from '../../components/RecordLink.tsx'
import { StatusBadge } from '../../components/StatusBadge.tsx'
import { Time } from '../../components/Time.tsx'
import { pageSizeDefault } from '../../format/readSearch.ts'

export interface AddressAttestationsProps {
  readonly address: string
  /** Those that it made, or those that it is a recipient of. */
  readonly role: 'created' | 'received'
}

export function AddressAttestations({ address, role }: AddressAttestationsProps) {
  const { page = 1, size = pageSizeDefault, chainId } = useSearch({ from: '/address/$address' })
  const listed = useQuery(
    addressAttestationsQuery(address, {
      type: role,
      page,
      size,
      ...(chainId === undefined ? {} : { chainId }),
    }),
  )
  if (listed.isError && listed.data === undefined)
    return <ErrorState error={listed.error} onRetry={() => void listed.refetch()} />
  const what = role === 'created' ? 'attestations made' : 'attestations received'
  return (
    <>
      <DataTable
        caption={role === 'created' ? 'Attestations that it made' : 'Attestations that it received'}
        columns={role === 'created' ? createdColumns : receivedColumns}
        rows={listed.data?.rows}
        rowKey={(row) => row.id}
        stale={listed.isPlaceholderData}
        empty={
          <EmptyState title={page > 1 ? 'This page is past the end' : `No ${what}`} icon="attestation">
            <p>{page > 1 ? 'Go back to the first page.' : adviceFor(chainId)}</p>
          </EmptyState>
        }
      />
      <Pagination page={page} size={size} total={listed.data?.total} what={what} />
    </>
  )
}

function adviceFor(chainId: string | undefined): string {
  return chainId === undefined
    ? 'Nothing of the kind is indexed on any chain.'
    : 'Nothing of the kind is indexed on this chain; there may be more on all chains.'
}

type Cell = Column<AddressAttestation>

const attestation: Cell = {
  header: 'Attestation',
  cell: (row) => <AttestationLink id={row.id} localId={row.attestationId} />,
  characters: 12,
}
const status: Cell = { header: 'Status', cell: (row) => <StatusBadge attestation={row} />, characters: 15 }
const schema: Cell = {
  header: 'Schema',
  grow: true,
  inCard: 'head',
  cell: (row) => (
    <SchemaLink id={row.schema.id} localId={row.schema.schemaId} name={row.schema.name} strong />
  ),
  characters: 24,
}
const chain: Cell = { header: 'Chain', cell: (row) => <ChainBadge chainId={row.chainId} />, characters: 12 }
const attester: Cell = {
  header: 'Attester',
  cell: (row) => <Address address={row.attester} />,
  characters: 18,
}
const recipient: Cell = {
  header: 'Recipient',
  cell: (row) => <Recipients recipients={row.recipients} />,
  characters: 18,
}
const made: Cell = {
  header: 'Made',
  align: 'end',
  cell: (row) => <Time seconds={row.attestTimestamp} />,
  characters: 14,
}

const createdColumns = [attestation, status, schema, chain, recipient, made]
const receivedColumns = [attestation, status, schema, chain, attester, made]
