import { useQuery } from '@tanstack/react-query'
import { useMemo, type ReactNode } from 'react'
import { decodedAttestationsQuery } from '../../api/queries.ts'
import type { Attestation, AttestationRow } from '../../api/types.ts'
import { DataTable, type Column } from '../../components/DataTable.tsx'
import { SchemaLink } from '../../components/RecordLink.tsx'
import { Skeleton } from '../../components/Skeleton.tsx'
import { StatusBadge } from '../../components/StatusBadge.tsx'
import {
  attestationColumn,
  chainColumn,
  madeColumn,
  partiesColumn,
  statusColumnLooks,
} from '../../components/attestationColumns.tsx'
import { useKept } from '../../components/useKept.ts'
import { recordKey } from '../../format/recordKey.ts'
import styles from './AttestationTable.module.css'
import { PayloadPreview } from './PayloadPreview.tsx'

/** A row of a listing, or a record. */
type ListedAttestation = Pick<
  AttestationRow,
  'id' | 'attestationId' | 'attester' | 'recipients' | 'chainId' | 'attestTimestamp' | 'protocol'
> & { readonly schema: Pick<AttestationRow['schema'], 'id' | 'schemaId' | 'name'> }

export interface AttestationTableProps {
  readonly caption: string
  /** Undefined while they are not known. */
  readonly rows: readonly ListedAttestation[] | undefined
  readonly stale?: boolean
  readonly skeletonRows?: number
  readonly empty: ReactNode
  /** Rows that have just come in are marked for a moment. */
  readonly isNew?: (row: ListedAttestation) => boolean
}

/**
 * Attestations of any chains and schemas. Listings lack status and payload; these are read by the ids of the page once
 * the ids are known, and their room is reserved until they come.
 */
export function AttestationTable({ rows, ...rest }: AttestationTableProps) {
  const { data, isError } = useQuery(decodedAttestationsQuery(rows ?? []))
  // By their ids: a row that stays keeps its payload while other rows are awaited.
  const records = useKept(data)
  const columns = useMemo(() => columnsOf(records ?? new Map(), isError), [records, isError])
  return <DataTable {...rest} tableWidthMin={58} columns={columns} rows={rows} rowKey={recordKey} />
}

function columnsOf(
  records: ReadonlyMap<string, Attestation>,
  isUnknown: boolean,
): readonly Column<ListedAttestation>[] {
  return [
    attestationColumn,
    {
      header: 'Schema and payload',
      grow: true,
      characters: 18,
      lines: 2,
      inCard: 'head',
      cell: (row) => {
        const record = records.get(recordKey(row))
        return (
          <div className={styles.says}>
            <div className={styles.schema}>
              <SchemaLink
                id={row.schema.id}
                localId={row.schema.schemaId}
                name={row.schema.name}
                protocol={row.protocol}
                strong
              />
            </div>
            <div className={styles.payload}>
              {record !== undefined ? (
                <PayloadPreview attestation={record} />
              ) : isUnknown ? (
                ' '
              ) : (
                <Skeleton characters={26} />
              )}
            </div>
          </div>
        )
      },
    },
    {
      ...statusColumnLooks,
      cell: (row) => {
        const record = records.get(recordKey(row))
        if (record !== undefined) return <StatusBadge attestation={record} />
        return isUnknown ? 'Unknown' : <Skeleton characters={7} />
      },
    },
    chainColumn,
    partiesColumn,
    madeColumn,
  ]
}
