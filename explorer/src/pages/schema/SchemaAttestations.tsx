import { useQuery } from '@tanstack/react-query'
import { useSearch } from '@tanstack/react-router'
import { useMemo } from 'react'
import { attestationsQuery, decodedAttestationsQuery } from '../../api/queries.ts'
import type { Attestation, AttestationRow, Schema } from '../../api/types.ts'
import { Address } from '../../components/Address.tsx'
import { Card } from '../../components/Card.tsx'
import { DataTable, type Column } from '../../components/DataTable.tsx'
import { EmptyState } from '../../components/EmptyState.tsx'
import { ExportLinks } from '../../components/ExportLinks.tsx'
import { Listing } from '../../components/Listing.tsx'
import { Recipients } from '../../components/Recipients.tsx'
import { Skeleton } from '../../components/Skeleton.tsx'
import { StatusBadge } from '../../components/StatusBadge.tsx'
import { attestationColumn, madeColumn, statusColumnLooks } from '../../components/attestationColumns.tsx'
import { PayloadCell } from '../../components/payload/PayloadCell.tsx'
import { plainText } from '../../format/inspectText.ts'
import { pageSizeDefault } from '../../format/readSearch.ts'
import styles from './SchemaAttestations.module.css'

/** The number of fields with a column; the record's page has all fields. */
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
  return (
    <Card
      title="Attestations"
      flush
      actions={<ExportLinks records="attestations" query={{ schemaId: schema.id }} />}
    >
      <Listing
        listed={listed}
        page={page}
        size={size}
        what="attestations"
        empty={
          <EmptyState title="No attestation yet" icon="attestation">
            <p>Nobody has attested under this schema. New attestations appear here once they are indexed.</p>
          </EmptyState>
        }
      >
        {(table) => (
          // Scrolls, so it has to take the focus.
          <div
            className={styles.scroller}
            // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
            tabIndex={0}
            role="region"
            aria-label="Attestations under the schema"
          >
            <DataTable
              {...table}
              caption="Attestations under the schema, newest first"
              columns={columns}
              rowKey={(row) => row.id}
            />
          </div>
        )}
      </Listing>
    </Card>
  )
}

function columnsOf(schema: Schema, records: ReadonlyMap<string, Attestation>): readonly Column<Row>[] {
  const fields = schema.data.slice(0, fieldColumnsMax)
  return [
    { ...attestationColumn, inCard: 'head' },
    {
      ...statusColumnLooks,
      cell: (row) => {
        const record = records.get(row.id)
        return record === undefined ? <Skeleton characters={8} /> : <StatusBadge attestation={record} />
      },
    },
    ...headersOf(fields).map((header, index): Column<Row> => ({
      header,
      cell: (row) => <FieldCell record={records.get(row.id)} index={index} />,
      align: /^u?int\d*$/.test(fields[index]?.type ?? '') ? 'end' : 'start',
      characters: 10,
      width: '9.25rem',
    })),
    partiesColumn,
    madeColumn,
  ]
}

/** Both in one column, which leaves room for the fields. */
const partiesColumn: Column<Row> = {
  header: 'Attester and recipient',
  width: '14.5rem',
  characters: 16,
  lines: 2,
  cell: ({ attester, recipients }) => (
    <>
      <div>
        <Address address={attester} />
      </div>
      <div className={styles.to}>
        to <Recipients recipients={recipients} />
      </div>
    </>
  ),
}

/** Two fields may have the same name, and a field may have the name of another column: such names are numbered. */
function headersOf(fields: Schema['data']): string[] {
  const taken = new Set(['Attestation', 'Status', partiesColumn.header, 'Made'])
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
