import type { ReactNode } from 'react'
import { Address } from '../../components/Address.tsx'
import { DataTable, type Column, type ColumnSort } from '../../components/DataTable.tsx'
import { FieldChips } from '../../components/FieldChips.tsx'
import { SchemaLink } from '../../components/RecordLink.tsx'
import { SafeText } from '../../components/SafeText.tsx'
import { Skeleton } from '../../components/Skeleton.tsx'
import { chainColumn } from '../../components/attestationColumns.tsx'
import { formatCount } from '../../format/formatCount.ts'
import { recordKey } from '../../format/recordKey.ts'
import styles from './SchemaTable.module.css'

/** A schema of a listing, or of a ranking, which lacks some members. */
export interface ListedSchema {
  readonly id: string
  readonly protocol?: string
  readonly schemaId: string
  readonly chainId: string
  readonly name: string
  readonly description: string
  readonly registrant: string
  readonly attestationCount: number
  readonly attesterCount?: number
  /** Undefined while they are not known, and null if they cannot be read. */
  readonly data?: readonly { readonly name: string; readonly type: string }[] | null | undefined
}

export interface SchemaTableProps {
  readonly caption: string
  readonly rows: readonly ListedSchema[] | undefined
  readonly stale?: boolean
  readonly skeletonRows?: number
  readonly empty: ReactNode
  /** Columns that are left out: their values are unknown, or the same in each row. */
  readonly without?: readonly ('Registrant' | 'Attesters')[]
  /** Orders by the number of attestations. */
  readonly sort?: ColumnSort
}

/** Schemas of any chains. */
export function SchemaTable({ without = [], sort, ...rest }: SchemaTableProps) {
  return (
    <DataTable
      {...rest}
      columns={columnsOf(sort).filter(({ header }) => without.every((other) => other !== header))}
      rowKey={recordKey}
    />
  )
}

const columnsOf = (sort: ColumnSort | undefined): readonly Column<ListedSchema>[] => [
  {
    header: 'Schema',
    grow: true,
    characters: 20,
    lines: 2,
    inCard: 'head',
    cell: ({ id, schemaId, name, description, protocol }) => (
      <>
        <div className={styles.line}>
          <SchemaLink id={id} localId={schemaId} name={name} protocol={protocol} strong />
        </div>
        <div className={styles.description}>
          {description === '' ? ' ' : <SafeText text={description.replaceAll(/\s+/g, ' ')} lengthMax={140} />}
        </div>
      </>
    ),
  },
  chainColumn,
  {
    header: 'Registrant',
    cardLabel: 'by',
    shares: true,
    width: '12rem',
    characters: 16,
    cell: (row) => <Address address={row.registrant} />,
  },
  {
    header: 'Fields',
    wide: true,
    inCard: 'bare',
    width: '17rem',
    characters: 22,
    cell: ({ data }) => {
      if (data === undefined) return <Skeleton characters={20} />
      return data === null ? 'Unknown' : <FieldChips fields={data} />
    },
  },
  {
    header: 'Attesters',
    wide: true,
    inCard: 'hidden',
    width: '7.5rem',
    align: 'end',
    characters: 4,
    cell: ({ attesterCount }) => (attesterCount === undefined ? '' : formatCount(attesterCount)),
  },
  {
    header: 'Attestations',
    ...(sort === undefined ? {} : { sort }),
    width: '8rem',
    align: 'end',
    characters: 5,
    cell: (row) => formatCount(row.attestationCount),
  },
]
