import { useQuery } from '@tanstack/react-query'
import { useSearch } from '@tanstack/react-router'
import { useMemo } from 'react'
import {
  attestationCountQuery,
  attestationListKey,
  attestationsQuery,
  decodedAttestationsQuery,
} from '../../api/queries.ts'
import type { Attestation, AttestationRow, Schema } from '../../api/types.ts'
import { Card } from '../../components/Card.tsx'
import { DataTable, type Column } from '../../components/DataTable.tsx'
import { EmptyState } from '../../components/EmptyState.tsx'
import { ExportLinks } from '../../components/ExportLinks.tsx'
import { Icon } from '../../components/Icon.tsx'
import { Listing } from '../../components/Listing.tsx'
import { NewRows } from '../../components/NewRows.tsx'
import { useKept } from '../../components/useKept.ts'
import { useIsPast } from '../../components/useMoment.ts'
import { Skeleton } from '../../components/Skeleton.tsx'
import { StatusBadge } from '../../components/StatusBadge.tsx'
import {
  attestationColumn,
  madeColumn,
  partiesColumn,
  statusColumnLooks,
} from '../../components/attestationColumns.tsx'
import { PayloadCell } from '../../components/payload/PayloadCell.tsx'
import { fieldQuery, filteredFields } from '../../format/fieldFilters.ts'
import { plainText } from '../../format/inspectText.ts'
import { pageSizeDefault } from '../../format/readSearch.ts'
import { recordKey } from '../../format/recordKey.ts'
import { withoutAbsent } from '../../format/withoutAbsent.ts'
import { FieldFilterBar, type FilteredColumn } from './FieldFilterBar.tsx'
import { FieldFilterButton } from './FieldFilterButton.tsx'
import { FieldFilterDialog } from './FieldFilterDialog.tsx'
import styles from './SchemaAttestations.module.css'
import { useFieldFilters, type FieldFilters } from './useFieldFilters.ts'

/** The number of fields with a column; the record's page has all fields. */
const fieldColumnsMax = 4

type Row = Pick<
  AttestationRow,
  'id' | 'attestationId' | 'attester' | 'recipients' | 'attestTimestamp' | 'protocol'
>

/** The attestations under a schema, each field of the schema in a column. */
export function SchemaAttestations({ schema }: { readonly schema: Schema }) {
  const { page = 1, size = pageSizeDefault, protocol } = useSearch({ from: '/schema/$id' })
  const state = useFieldFilters()
  const isPast = useIsPast()
  const { filters, counted } = state
  const fields = useMemo(() => filteredColumns(schema), [schema])
  const isFiltered = filters.length > 0
  const query = withoutAbsent({ schemaId: schema.id, protocol, page, size })
  const asked = isFiltered ? { ...query, field: fieldQuery(filters) } : query
  const listed = useQuery(attestationsQuery(asked))
  const { data: decoded, isError } = useQuery(decodedAttestationsQuery(listed.data?.rows ?? []))
  // By their ids: a row that stays keeps its values while other rows are awaited.
  const records = useKept(decoded)
  const columns = useMemo(
    () => columnsOf(schema, records ?? new Map(), isError, fields, state),
    [schema, records, isError, fields, state],
  )
  // Without rows no table stands there, with heads of columns.
  const hasTable = listed.data?.rows.length !== 0
  const barred = hasTable ? fields : fields.map((each) => ({ ...each, hasColumn: false }))
  const open = fields.find((each) => each.fields.some(({ path }) => path === counted))
  const field = open?.fields.find(({ path }) => path === counted)
  return (
    <Card
      title="Attestations"
      flush
      actions={
        <ExportLinks
          records="attestations"
          query={{
            schemaId: schema.id,
            protocol,
            ...Object.fromEntries(filters.map(({ parameter, value }) => [parameter, value])),
          }}
        />
      }
    >
      <FieldFilterBar columns={barred} state={state} />
      {page === 1 && !isPast && (
        <NewRows
          noun="attestation"
          counting={attestationCountQuery(asked)}
          listKey={attestationListKey}
          total={listed.data?.total}
        />
      )}
      {open !== undefined && field !== undefined && (
        <FieldFilterDialog schemaId={schema.id} fields={open.fields} field={field} state={state} />
      )}
      <Listing
        listed={listed}
        question={filters}
        page={page}
        size={size}
        what="attestations"
        empty={
          isFiltered ? (
            <EmptyState title="No attestation passes these filters" icon="filter">
              <p>Remove one of them to see more attestations of this schema.</p>
            </EmptyState>
          ) : (
            <EmptyState title="No attestation yet" icon="attestation">
              <p>
                Nobody has attested under this schema. New attestations appear here once they are indexed.
              </p>
            </EmptyState>
          )
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
              rowKey={recordKey}
            />
          </div>
        )}
      </Listing>
    </Card>
  )
}

function columnsOf(
  schema: Schema,
  records: ReadonlyMap<string, Attestation>,
  isUnknown: boolean,
  filtered: readonly FilteredColumn[],
  state: FieldFilters,
): readonly Column<Row>[] {
  const fields = schema.data.slice(0, fieldColumnsMax)
  return [
    { ...attestationColumn, inCard: 'head' },
    {
      ...statusColumnLooks,
      cell: (row) => {
        const record = records.get(recordKey(row))
        if (record !== undefined) return <StatusBadge attestation={record} />
        return isUnknown ? 'Unknown' : <Skeleton characters={8} />
      },
    },
    ...headersOf(fields).map((header, index): Column<Row> => ({
      header,
      control: <FieldFilterButton fields={filtered[index]?.fields ?? []} name={header} state={state} />,
      cell: (row) => (
        <FieldCell
          record={records.get(recordKey(row))}
          isUnknown={isUnknown}
          index={index}
          filtered={filtered[index]}
          onFilter={state.set}
        />
      ),
      align: /^u?int\d*$/.test(fields[index]?.type ?? '') ? 'end' : 'start',
      characters: 10,
      // An address stands beside the button of its filter.
      width: fields[index]?.type === 'address' ? '11rem' : '8.75rem',
    })),
    partiesColumn,
    madeColumn,
  ]
}

/** The fields of a schema as filters name them, the first of them with columns. */
function filteredColumns({ data }: Schema): readonly FilteredColumn[] {
  const names = headersOf(data)
  return data.map((field, index) => ({
    name: names[index] ?? '',
    fields: filteredFields(field, index),
    hasColumn: index < fieldColumnsMax,
  }))
}

/** Two fields may have the same name, and a field may have the name of another column: such names are numbered. */
function headersOf(fields: Schema['data']): string[] {
  const taken = new Set(['Attestation', 'Status', partiesColumn.header, 'Attested'])
  return fields.map((field, index) => {
    const name = plainText(field.name, 28)
    const header = name === '' || taken.has(name) ? `${name} #${index + 1}`.trim() : name
    taken.add(header)
    return header
  })
}

interface FieldCellProps {
  readonly record: Attestation | undefined
  /** The record cannot be read. */
  readonly isUnknown: boolean
  readonly index: number
  readonly filtered: FilteredColumn | undefined
  readonly onFilter: FieldFilters['set']
}

/** A value with a button that filters by it. */
function FieldCell({ record, isUnknown, index, filtered, onFilter }: FieldCellProps) {
  if (record === undefined) return isUnknown ? ' ' : <Skeleton characters={12} />
  const field = record.decodedData?.[index]
  if (field === undefined) {
    return (
      <span className={styles.none} title={record.decodedDataError ?? undefined}>
        not decoded
      </span>
    )
  }
  const { value } = field
  const text = typeof value === 'string' || typeof value === 'boolean' ? String(value) : ''
  const [named] = filtered?.fields ?? []
  if (named === undefined || text === '') return <PayloadCell field={field} />
  return (
    <span className={styles.value}>
      <PayloadCell field={field} />
      <button
        type="button"
        className={styles.filter}
        aria-label={`Only those whose ${named.label} is ${plainText(text, 40)}`}
        onClick={() => onFilter(named.path, 'equals', text)}
      >
        <Icon name="filter" />
      </button>
    </span>
  )
}
