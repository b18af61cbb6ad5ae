import type { SearchGroup } from '../../api/types.ts'
import { Address } from '../../components/Address.tsx'
import { ChainBadge } from '../../components/ChainBadge.tsx'
import { DataTable, type Column } from '../../components/DataTable.tsx'
import { AttestationLink, SchemaLink } from '../../components/RecordLink.tsx'
import { Recipients } from '../../components/Recipients.tsx'
import { SafeText } from '../../components/SafeText.tsx'
import { formatCount } from '../../format/formatCount.ts'

type RowsOf<Type extends SearchGroup['type']> = Extract<SearchGroup, { type: Type }>['rows']
type FoundSchema = RowsOf<'schema'>[number]
type FoundAttestation = RowsOf<'attestation'>[number]
type FoundAddress = RowsOf<'address'>[number]

const schemaColumns: readonly Column<FoundSchema>[] = [
  {
    header: 'Schema',
    width: '20rem',
    inCard: 'head',
    cell: (row) => <SchemaLink id={row.id} localId={row.schemaId} name={row.name} strong />,
  },
  {
    header: 'Description',
    grow: true,
    cell: (row) => <SafeText text={row.description.replaceAll(/\s+/g, ' ')} lengthMax={140} />,
  },
  { header: 'Chain', width: '9rem', cell: (row) => <ChainBadge chainId={row.chainId} /> },
  { header: 'Registrant', width: '13rem', cell: (row) => <Address address={row.registrant} /> },
]

export function FoundSchemas({ rows }: { readonly rows: readonly FoundSchema[] }) {
  return (
    <DataTable
      caption="Schemas that were found"
      columns={schemaColumns}
      rows={rows}
      rowKey={({ id }) => id}
    />
  )
}

const attestationColumns: readonly Column<FoundAttestation>[] = [
  {
    header: 'Attestation',
    grow: true,
    inCard: 'head',
    cell: (row) => <AttestationLink id={row.id} localId={row.attestationId} />,
  },
  { header: 'Chain', width: '10rem', cell: (row) => <ChainBadge chainId={row.chainId} /> },
  { header: 'Attester', width: '14rem', cell: (row) => <Address address={row.attester} /> },
  { header: 'Recipient', width: '15rem', cell: (row) => <Recipients recipients={row.recipients} /> },
]

export function FoundAttestations({ rows }: { readonly rows: readonly FoundAttestation[] }) {
  return (
    <DataTable
      caption="Attestations that were found"
      columns={attestationColumns}
      rows={rows}
      rowKey={({ id }) => id}
    />
  )
}

const addressColumns: readonly Column<FoundAddress>[] = [
  { header: 'Address', grow: true, inCard: 'head', cell: (row) => <Address address={row.address} /> },
  { header: 'Made', width: '9rem', align: 'end', cell: (row) => formatCount(row.attestationCreated) },
  { header: 'Received', width: '9rem', align: 'end', cell: (row) => formatCount(row.attestationReceived) },
  { header: 'Schemas', width: '9rem', align: 'end', cell: (row) => formatCount(row.schemaCreated) },
]

export function FoundAddresses({ rows }: { readonly rows: readonly FoundAddress[] }) {
  return (
    <DataTable
      caption="Addresses that were found"
      columns={addressColumns}
      rows={rows}
      rowKey={({ address }) => address}
    />
  )
}
