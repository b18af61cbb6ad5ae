import { Icon } from '../../components/Icon.tsx'
import { classNames } from '../../components/classNames.ts'
import type { FilteredField } from '../../format/fieldFilters.ts'
import styles from './FieldFilterButton.module.css'
import type { FieldFilters } from './useFieldFilters.ts'

/** Opens the filters of a field of a schema: in the head of its column, or with its name if it has no column. */
export function FieldFilterButton({
  fields,
  name,
  state,
  named = false,
}: {
  /** The field, or the members of a tuple. */
  readonly fields: readonly FilteredField[]
  readonly name: string
  readonly state: FieldFilters
  readonly named?: boolean
}) {
  const [first] = fields
  if (first === undefined) return null
  const isOpen = fields.some(({ path }) => path === state.counted)
  const active = fields.find(({ path }) => state.filters.some((filter) => filter.path === path))
  return (
    <button
      type="button"
      className={classNames(styles.button, named && styles.named, active !== undefined && styles.active)}
      data-opens-filters={first.path}
      aria-haspopup="dialog"
      aria-expanded={isOpen}
      aria-label={`Filter by ${name}${active === undefined ? '' : ', filtered'}`}
      onClick={() => state.count((active ?? first).path)}
    >
      <Icon name="filter" />
      {named && <span className={styles.name}>{name}</span>}
    </button>
  )
}
