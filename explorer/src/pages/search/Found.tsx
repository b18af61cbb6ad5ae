import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { decodedAttestationsQuery } from '../../api/queries.ts'
import type { SearchGroup } from '../../api/types.ts'
import { Address } from '../../components/Address.tsx'
import { AgentAccount, AgentLink } from '../../components/AgentLink.tsx'
import { DataTable, type Column } from '../../components/DataTable.tsx'
import { ErrorState } from '../../components/ErrorState.tsx'
import { SchemaLink } from '../../components/RecordLink.tsx'
import { useLinkedProtocol } from '../../components/useProtocol.ts'
import { SafeText } from '../../components/SafeText.tsx'
import { chainColumn } from '../../components/attestationColumns.tsx'
import { isAddress } from '../../format/checkFilter.ts'
import { fieldParameter } from '../../format/fieldFilters.ts'
import { formatCount } from '../../format/formatCount.ts'
import { nameSource } from '../../format/nameSource.ts'
import { localIdOf } from '../../format/localIdOf.ts'
import { recordKey } from '../../format/recordKey.ts'
import { AttestationTable } from '../attestations/AttestationTable.tsx'

type RowOf<Type extends SearchGroup['type']> = Extract<SearchGroup, { type: Type }>['rows'][number]

/** The results of one kind. */
export function Found({ group }: { readonly group: SearchGroup }) {
  switch (group.type) {
    case 'schema':
      return (
        <DataTable
          caption="Schemas that were found"
          columns={schemaColumns}
          rows={group.rows}
          rowKey={recordKey}
        />
      )
    case 'attestation':
      return <FoundAttestations rows={group.rows} />
    case 'address':
      return (
        <DataTable
          caption="Addresses that were found"
          columns={addressColumns}
          rows={group.rows}
          rowKey={({ address }) => address}
        />
      )
    case 'agent':
      return (
        <DataTable
          caption="Agents that were found"
          columns={agentColumns}
          rows={group.rows}
          rowKey={({ id }) => id}
        />
      )
    case 'value':
      return (
        <DataTable
          caption="Values that were found"
          columns={valueColumns}
          rows={group.rows}
          rowKey={(row) => `${recordKey(row)} ${group.rows.indexOf(row)}`}
        />
      )
    case 'name':
      return (
        <DataTable
          caption="Names that were found"
          columns={nameColumns}
          rows={group.rows}
          rowKey={({ id }) => id}
        />
      )
  }
}

/** Results lack schema, time, status and payload; the table is filled once the records are read by their ids. */
function FoundAttestations({ rows }: { readonly rows: readonly RowOf<'attestation'>[] }) {
  const { data: records, error, refetch } = useQuery(decodedAttestationsQuery(rows))
  if (error !== null) return <ErrorState error={error} onRetry={() => void refetch()} />
  return (
    <AttestationTable
      caption="Attestations that were found"
      rows={records && rows.flatMap((row) => records.get(recordKey(row)) ?? [])}
      skeletonRows={rows.length}
      empty={null}
    />
  )
}

const schemaColumns: readonly Column<RowOf<'schema'>>[] = [
  {
    header: 'Schema',
    width: '20rem',
    inCard: 'head',
    cell: ({ id, schemaId, name, protocol }) => (
      <SchemaLink id={id} localId={schemaId} name={name} protocol={protocol} strong />
    ),
  },
  {
    header: 'Description',
    grow: true,
    shares: true,
    cell: ({ description }) =>
      description.trim() !== '' && <SafeText text={description.replaceAll(/\s+/g, ' ')} lengthMax={140} />,
  },
  chainColumn,
  { header: 'Registrant', width: '13rem', cell: (row) => <Address address={row.registrant} /> },
]

const addressColumns: readonly Column<RowOf<'address'>>[] = [
  { header: 'Address', grow: true, inCard: 'head', cell: (row) => <Address address={row.address} full /> },
  { header: 'Made', width: '9rem', align: 'end', cell: (row) => formatCount(row.attestationCreated) },
  { header: 'Received', width: '9rem', align: 'end', cell: (row) => formatCount(row.attestationReceived) },
  { header: 'Schemas', width: '9rem', align: 'end', cell: (row) => formatCount(row.schemaCreated) },
]

const valueColumns: readonly Column<RowOf<'value'>>[] = [
  { header: 'Value', grow: true, inCard: 'head', cell: (row) => <ValueLink row={row} /> },
  { header: 'Field', width: '12rem', cell: ({ field }) => <SafeText text={field} lengthMax={60} /> },
  {
    header: 'Schema',
    width: '18rem',
    cell: ({ id, schemaId, name, protocol }) => (
      <SchemaLink id={id} localId={schemaId} name={name} protocol={protocol} />
    ),
  },
  chainColumn,
  {
    header: 'Attestations',
    width: '9rem',
    align: 'end',
    cell: ({ attestationCount }) => formatCount(attestationCount),
  },
]

/** A link to the attestations with the value. */
function ValueLink({ row: { id, protocol: own, field, value } }: { readonly row: RowOf<'value'> }) {
  const protocol = useLinkedProtocol()(id, own)
  return (
    <Link to="/schema/$id" params={{ id }} search={{ protocol, [fieldParameter(field, 'equals')]: value }}>
      <SafeText text={value} lengthMax={120} />
    </Link>
  )
}

const nameColumns: readonly Column<RowOf<'name'>>[] = [
  {
    header: 'Of',
    grow: true,
    inCard: 'head',
    cell: ({ id, name }) =>
      isAddress(id) ? (
        <Address address={id} full />
      ) : (
        <SchemaLink id={id} localId={localIdOf(id)} name={name} strong />
      ),
  },
  { header: 'Name', width: '20rem', cell: ({ name }) => <SafeText text={name} lengthMax={100} /> },
  { header: 'Given', width: '14rem', cell: ({ source }) => nameSource(source) },
]

const agentColumns: readonly Column<RowOf<'agent'>>[] = [
  {
    header: 'Agent',
    grow: true,
    inCard: 'head',
    cell: ({ id, name }) => <AgentLink id={id} name={name} />,
  },
  chainColumn,
  { header: 'Owner', width: '13rem', cell: ({ owner }) => <AgentAccount address={owner} /> },
  { header: 'Feedback', width: '9rem', align: 'end', cell: (row) => formatCount(row.feedbackCount) },
]
