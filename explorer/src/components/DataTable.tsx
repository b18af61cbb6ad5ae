/* oxlint-disable jsx-a11y/no-redundant-roles -- browsers drop the table semantics of cards */
/* oxlint-disable jsx-a11y/no-interactive-element-to-noninteractive-role -- likewise */
import type { Key, ReactNode } from 'react'
import { Icon } from './Icon.tsx'
import { Skeleton } from './Skeleton.tsx'
import { Sliced } from './Sliced.tsx'
import styles from './DataTable.module.css'
import { classNames } from './classNames.ts'

export interface Column<Row> {
  /** Also the label beside the value where rows are shown as cards. */
  readonly header: string
  readonly cell: (row: Row) => ReactNode
  /** A control beside the header; not shown where rows are cards. */
  readonly control?: ReactNode
  /** The header is a button that orders the rows by this column. Cards have no header: a page needs another control too. */
  readonly sort?: ColumnSort
  /** `end` for numbers and times. */
  readonly align?: 'start' | 'end'
  /** Takes the room that the others leave. */
  readonly grow?: boolean
  /** About how many characters it shows: its skeleton is as long, and its width follows unless `width` says it. */
  readonly characters?: number
  /** Of a column that does not grow, as CSS has it. Widths are fixed, so that nothing moves when rows come in. */
  readonly width?: string
  /** Lines of text that its cells have, for their skeletons. */
  readonly lines?: 1 | 2
  /** Left out of a table that has less room than a wide window gives; cards have it. */
  readonly wide?: boolean
  /** In cards: left out, without its label at their head or beside the head, or in their lines without a label. */
  readonly inCard?: 'hidden' | 'head' | 'corner' | 'bare'
  /** In cards: shares its line with others, and is cut rather than moved to a line of its own. */
  readonly shares?: boolean
  /** The label in a card, if it is not the header. */
  readonly cardLabel?: string
}

export interface ColumnSort {
  /** The order of the rows by this column; null where they have another order. */
  readonly direction: 'ascending' | 'descending' | null
  readonly onSort: () => void
}

export interface DataTableProps<Row> {
  /** The caption of the table for screen readers. */
  readonly caption: string
  readonly columns: readonly Column<Row>[]
  /** Undefined while they are not known: as many skeletons as `skeletonRows` stand there. */
  readonly rows: readonly Row[] | undefined
  /** `index`: the place of the row on this page. */
  readonly rowKey: (row: Row, index: number) => Key
  readonly skeletonRows?: number
  /** The rows are those of the page before, while this page is awaited. */
  readonly stale?: boolean
  /** Shown instead of a table without rows. */
  readonly empty?: ReactNode
  /** In rem: where there is less room, rows are shown as cards. It has to leave some for the columns that grow. */
  readonly tableWidthMin?: number
  /** Rows that have just come in are marked for a moment. */
  readonly isNew?: (row: Row) => boolean
}

/**
 * Rows under columns; on narrow screens a card for each row. ARIA roles are explicit, because browsers drop the table
 * semantics of cards.
 */
export function DataTable<Row>(props: DataTableProps<Row>) {
  return (
    <Sliced>
      <DrawnTable {...props} />
    </Sliced>
  )
}

function DrawnTable<Row>(props: DataTableProps<Row>) {
  const { caption, columns, rows, rowKey, skeletonRows = 10, stale = false, empty, isNew } = props
  const { tableWidthMin = 58 } = props
  if (rows !== undefined && rows.length === 0 && empty !== undefined) return <>{empty}</>
  return (
    <div
      className={styles.container}
      style={{ '--lead': `${tableWidthMin - 58}rem`, '--lines': linesOfCard(columns) }}
    >
      <table
        className={classNames(styles.table, stale && styles.stale)}
        role="table"
        aria-busy={rows === undefined || stale}
      >
        <caption className="visuallyHidden">{caption}</caption>
        <colgroup>
          {columns.map(({ header, grow, width, wide, characters = 10 }) => (
            <col
              key={header}
              className={wide === true ? styles.wide : undefined}
              style={{ width: grow ? undefined : (width ?? `${characters + 4}ch`) }}
            />
          ))}
        </colgroup>
        <thead role="rowgroup">
          <tr role="row">
            {columns.map(({ header, align, control, sort, wide }) => (
              <th
                key={header}
                scope="col"
                role="columnheader"
                aria-sort={sort?.direction ?? undefined}
                className={classNames(align === 'end' && styles.end, wide === true && styles.wide)}
              >
                {sort !== undefined ? (
                  <button type="button" className={styles.sort} onClick={sort.onSort}>
                    {header}
                    <Icon name={sortIcons[sort.direction ?? 'none']} />
                  </button>
                ) : control === undefined ? (
                  header
                ) : (
                  <span className={styles.heading}>
                    <span>{header}</span>
                    <span className={styles.control}>{control}</span>
                  </span>
                )}
              </th>
            ))}
          </tr>
        </thead>
        <tbody role="rowgroup">
          {rows === undefined
            ? Array.from({ length: skeletonRows }, (_, index) => (
                <tr role="row" key={index}>
                  {columns.map((column) => (
                    <Cell key={column.header} column={column}>
                      <Skeleton characters={column.characters ?? 10} />
                      {column.lines === 2 && (
                        <div>
                          <Skeleton characters={(column.characters ?? 10) * 1.5} />
                        </div>
                      )}
                    </Cell>
                  ))}
                </tr>
              ))
            : rows.map((row, index) => (
                <tr
                  role="row"
                  key={rowKey(row, index)}
                  className={isNew?.(row) === true ? styles.new : undefined}
                >
                  {columns.map((column) => (
                    <Cell key={column.header} column={column}>
                      {column.cell(row)}
                    </Cell>
                  ))}
                </tr>
              ))}
        </tbody>
      </table>
    </div>
  )
}

const sortIcons = { none: 'sort', ascending: 'chevronUp', descending: 'chevronDown' } as const

/** The height of a card, in lines: two or three values stand in one. A second line of text in a cell is lower. */
function linesOfCard(columns: readonly Pick<Column<never>, 'inCard' | 'lines'>[]): number {
  const heads = columns.filter(({ inCard }) => inCard === 'head')
  const others = columns.filter(({ inCard }) => inCard === undefined || inCard === 'bare').length
  return heads.reduce((sum, { lines }) => sum + (lines === 2 ? 1.8 : 1), 0) + Math.ceil(others / 2.5)
}

function Cell<Row>({ column, children }: { readonly column: Column<Row>; readonly children: ReactNode }) {
  const { header, align, inCard, shares = false, wide = false, cardLabel = header } = column
  return (
    <td
      role="cell"
      data-label={inCard === 'head' ? undefined : header}
      data-card-label={inCard === undefined ? cardLabel : undefined}
      className={classNames(
        align === 'end' && styles.end,
        wide && styles.wide,
        shares && styles.shares,
        inCard === 'head' && styles.head,
        inCard === 'bare' && styles.bare,
        inCard === 'corner' && styles.corner,
        inCard === 'hidden' && styles.notInCard,
      )}
    >
      <div className={styles.value}>{children}</div>
    </td>
  )
}
