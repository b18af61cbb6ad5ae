import { SafeText } from '../../components/SafeText.tsx'
import { classNames } from '../../components/classNames.ts'
import { FilterChips } from '../../components/filters/FilterChips.tsx'
import { operatorLabels, type FilteredField } from '../../format/fieldFilters.ts'
import { plainText } from '../../format/inspectText.ts'
import styles from './FieldFilterBar.module.css'
import { FieldFilterButton } from './FieldFilterButton.tsx'
import type { FieldFilters } from './useFieldFilters.ts'

/** A field of a schema, or a tuple with its members, as filters name it. */
export interface FilteredColumn {
  readonly name: string
  readonly fields: readonly FilteredField[]
  /** Whether the head of a column opens its filters, where rows are no cards. */
  readonly hasColumn: boolean
}

/** The filters that hold, and the buttons of fields that no head of a column has. */
export function FieldFilterBar({
  columns,
  state,
}: {
  readonly columns: readonly FilteredColumn[]
  readonly state: FieldFilters
}) {
  const shown = columns.filter(({ fields }) => fields.length > 0)
  const labels = new Map(shown.flatMap(({ fields }) => fields.map(({ path, label }) => [path, label])))
  return (
    <div className={styles.container}>
      {shown.length > 0 && (
        <div
          className={classNames(styles.bar, shown.every(({ hasColumn }) => hasColumn) && styles.inHead)}
          role="group"
          aria-label="Filters"
        >
          {shown.map(({ name, fields, hasColumn }, index) => (
            <span key={index} className={classNames(styles.item, hasColumn && styles.inHead)}>
              <FieldFilterButton fields={fields} name={name} state={state} named />
            </span>
          ))}
        </div>
      )}
      {state.filters.length > 0 && (
        <div className={styles.chips}>
          <FilterChips
            chips={state.filters.map(({ parameter, path, operator, value }) => ({
              name: parameter,
              label: `${labels.get(path) ?? plainText(path, 40)} ${operatorLabels[operator]}`,
              value: <SafeText text={value} lengthMax={40} />,
              onRemove: () => state.remove(parameter),
            }))}
            onClear={() => state.clear()}
          />
        </div>
      )}
    </div>
  )
}
