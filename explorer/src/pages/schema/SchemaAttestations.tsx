import { useQuery } from '@tanstack/react-query'
import { useSearch } from '@tanstack/react-router'
import { useMemo } from 'react'
import { attestationsQuery, decodedAttestationsQuery } from '../../api/queries.ts'
import type { Attestation, AttestationRow, Schema } from '../../api/types.ts'
import { Address } from '../../components/Address.tsx'
import { Card } from '../../components/Card.tsx'
import { DataTable, type Column } from '../../components/DataTable.tsx'
import { EmptyState } from '../../components/EmptyState.tsx'
import { ErrorState } from '../../components/ErrorState.tsx'
import { Pagination } from '../../components/Pagination.tsx'
import { AttestationLink } from '../../components/RecordLink.tsx'
import { Recipients } from '../../components/Recipients.tsx'
import { Skeleton } from '../../components/Skeleton.tsx'
import { StatusBadge } from '../../components/StatusBadge.tsx'
import { Time } from '../../components/Time.tsx'
import { PayloadCell } from '../../components/payload/PayloadCell.tsx'
import { plainText } from '../../format/inspectText.ts'
import { pageSizeDefault } from '../../format/readSearch.ts'
import styles from './SchemaAttestations.module.css'

/** Fields of the schema that get a column; the record's page has all. */
const fieldColumnsMax = 4

type Row = Pick<AttestationRow, 'id' | 'attestationId' | 'attester' | 'recipients' | 'attestTimestamp'>

/** The attestations under a schema, each field of the schema in a column. */
export function SchemaAttestations({ schema }: { readonly schema: Schema }) {
  const { page = 1, size = pageSizeDefault } = useSearch({ from: '/schema/$id' })
  const listed = useQuery(attestationsQuery({ schemaId: schema.id, page, size }))
  const ids = useMemo(() => listed.data?.rows.map((row) => row.id) ?? [], [listed.data])
  const decoded = useQuery(decodedAttestationsQuery(ids))
  const columns = useMemo(() => {
    const records = new Map(
      (decoded.data ?? []).flatMap((record) => (record === null ? [] : [[record.id, record]])),
    )
    return columnsOf(schema, records)
  }, [schema, decoded.data])
  const total = listed.data?.total
  return (
    <Card title="Attestations" flush actions={<Exports id={schema.id} />}>
      {listed.isError && listed.data === undefined ? (
        <ErrorState error={listed.error} onRetry={() => void listed.refetch()} />
      ) : (
        <>
          {/* Scrolls, so it has to take the focus. */}
          <div
            className={styles.scroller}
            // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
            tabIndex={0}
            role="region"
            aria-label="Attestations under the schema"
          >
            <DataTable
              caption="Attestations under the schema, newest first"
              columns={columns}
              rows={listed.data?.rows}
              rowKey={(row) => row.id}
              stale={listed.isPlaceholderData}
              empty={
                <EmptyState
                  title={page > 1 ? 'This page is past the end' : 'No attestation yet'}
                  icon="attestation"
                >
                  <p>
                    {page > 1
                      ? 'Go back to the first page.'
                      : 'Nobody has attested under this schema. New attestations appear here once they are indexed.'}
                  </p>
                </EmptyState>
              }
            />
          </div>
          <Pagination page={page} size={size} total={total} what="attestations" />
        </>
      )}
    </Card>
  )
}

function Exports({ id }: { readonly id: string }) {
  const query = `schemaId=${encodeURIComponent(id)}`
  return (
    <>
      Export
      <a href={`/scan/export/attestations.csv?${query}`} download>
        CSV
      </a>
      <a href={`/scan/export/attestations.ndjson?${query}`} download>
        NDJSON
      </a>
    </>
  )
}

function columnsOf(schema: Schema, records: ReadonlyMap<string, Attestation>): readonly Column<Row>[] {
  const fields = schema.data.slice(0, fieldColumnsMax)
  return [
    {
      header: 'Attestation',
      inCard: 'head',
      cell: (row) => <AttestationLink id={row.id} localId={row.attestationId} />,
      characters: 8,
    },
    {
      header: 'Status',
      cell: (row) => {
        const record = records.get(row.id)
        return record === undefined ? <Skeleton characters={8} /> : <StatusBadge attestation={record} />
      },
      characters: 15,
    },
    ...headersOf(fields).map(
      (header, index): Column<Row> => ({
        header,
        cell: (row) => <FieldCell record={records.get(row.id)} index={index} />,
        align: /^u?int\d*$/.test(fields[index]?.type ?? '') ? 'end' : 'start',
        characters: 12,
      }),
    ),
    { header: 'Attester', cell: (row) => <Address address={row.attester} />, characters: 18 },
    { header: 'Recipient', cell: (row) => <Recipients recipients={row.recipients} />, characters: 18 },
    { header: 'Made', align: 'end', cell: (row) => <Time seconds={row.attestTimestamp} />, characters: 12 },
  ]
}

/** Two fields may have the same name, and a field may be named like a column of ours: those are numbered. */
function headersOf(fields: Schema['data']): string[] {
  const taken = new Set(['Attestation', 'Status', 'Attester', 'Recipient', 'Made'])
  return fields.map((field, index) => {
    const name = plainText(field.name, 28)
    const header = name === '' || taken.has(name) ? `${name} #${index + 1}`.trim() : name
    taken.add(header)
    return header
  })
}

function FieldCell({ record, index }: { readonly record: Attestation | undefined; readonly index: number }) {
  if (record === undefined) return <Skeleton characters={12} />
  const field = record.decodedData?.[index]
  if (field === undefined) {
    return (
      <span className={styles.none} title={record.decodedDataError ?? undefined}>
        not decoded
      </span>
    )
  }
  return <PayloadCell field={field} />
}
