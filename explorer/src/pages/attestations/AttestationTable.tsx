import { useQuery } from '@tanstack/react-query'
import { useMemo, type ReactNode } from 'react'
import { decodedAttestationsQuery } from '../../api/queries.ts'
import type { Attestation, AttestationRow } from '../../api/types.ts'
import { Address } from '../../components/Address.tsx'
import { ChainBadge } from '../../components/ChainBadge.tsx'
import { DataTable, type Column } from '../../components/DataTable.tsx'
import { AttestationLink, SchemaLink } from '../../components/RecordLink.tsx'
import { Recipients } from '../../components/Recipients.tsx'
import { Skeleton } from '../../components/Skeleton.tsx'
import { StatusBadge } from '../../components/StatusBadge.tsx'
import { Time } from '../../components/Time.tsx'
import styles from './AttestationTable.module.css'
import { PayloadPreview } from './PayloadPreview.tsx'

export interface AttestationTableProps {
  readonly caption: string
  /** Undefined while they are not known. */
  readonly rows: readonly AttestationRow[] | undefined
  readonly stale?: boolean
  readonly skeletonRows?: number
  readonly empty: ReactNode
}

/**
 * Attestations of any chains and schemas. What listings leave out, the status and the payload, is asked for by the ids of the page once
 * they are known; its room is kept until it comes.
 */
export function AttestationTable({ rows, ...rest }: AttestationTableProps) {
  const ids = useMemo(() => rows?.map(({ id }) => id) ?? [], [rows])
  const { data: whole, isError } = useQuery(decodedAttestationsQuery(ids))
  const columns = useMemo(() => {
    const records = new Map(
      whole?.flatMap((record) => (record === null ? [] : [[record.id, record] as const])),
    )
    return columnsOf(records, isError)
  }, [whole, isError])
  return <DataTable {...rest} tableWidthMin={74} columns={columns} rows={rows} rowKey={({ id }) => id} />
}

function columnsOf(
  records: ReadonlyMap<string, Attestation>,
  isUnknown: boolean,
): readonly Column<AttestationRow>[] {
  return [
    {
      header: 'Attestation',
      width: '8.5rem',
      characters: 8,
      cell: (row) => <AttestationLink id={row.id} localId={row.attestationId} />,
    },
    {
      header: 'Schema and payload',
      grow: true,
      characters: 18,
      lines: 2,
      inCard: 'head',
      cell: (row) => {
        const record = records.get(row.id)
        return (
          <div className={styles.says}>
            <div className={styles.schema}>
              <SchemaLink id={row.schema.id} localId={row.schema.schemaId} name={row.schema.name} strong />
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
      header: 'Status',
      width: '10rem',
      characters: 6,
      cell: (row) => {
        const record = records.get(row.id)
        if (record !== undefined) return <StatusBadge attestation={record} />
        return isUnknown ? 'Unknown' : <Skeleton characters={7} />
      },
    },
    { header: 'Chain', width: '8.5rem', characters: 9, cell: (row) => <ChainBadge chainId={row.chainId} /> },
    { header: 'Attester', width: '12rem', characters: 16, cell: (row) => <Address address={row.attester} /> },
    {
      header: 'Recipient',
      width: '13.5rem',
      characters: 16,
      cell: (row) => <Recipients recipients={row.recipients} />,
    },
    {
      header: 'Made',
      width: '9.5rem',
      align: 'end',
      characters: 12,
      cell: (row) => <Time seconds={row.attestTimestamp} />,
    },
  ]
}
