import { useQuery } from '@tanstack/react-query'
import { fieldValuesQuery } from '../../api/queries.ts'
import { ErrorState } from '../../components/ErrorState.tsx'
import { SafeText } from '../../components/SafeText.tsx'
import { ShareBar } from '../../components/ShareBar.tsx'
import { Skeleton } from '../../components/Skeleton.tsx'
import { useProtocol } from '../../components/useProtocol.ts'
import { fieldQuery, type FilteredField } from '../../format/fieldFilters.ts'
import { formatCount } from '../../format/formatCount.ts'
import styles from './FieldValues.module.css'
import type { FieldFilters } from './useFieldFilters.ts'

/** The most frequent values of a field among the attestations that pass the filters; each filters by itself. */
export function FieldValues({
  schemaId,
  field,
  state,
}: {
  readonly schemaId: string
  readonly field: FilteredField
  readonly state: FieldFilters
}) {
  const values = useQuery(fieldValuesQuery(schemaId, field.path, fieldQuery(state.filters), useProtocol()))
  const largest = Math.max(1, ...(values.data?.rows ?? []).map(({ count }) => count))
  return (
    // Of a fixed height, so that nothing moves when the values come in; scrolls, so it has to take the focus.
    <div
      className={styles.values}
      // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
      tabIndex={0}
      role="region"
      aria-label={`Values of ${field.label}`}
    >
      {values.isError ? (
        <ErrorState error={values.error} onRetry={() => void values.refetch()} />
      ) : values.data === undefined ? (
        <Skeleton characters={24} />
      ) : (
        <>
          <p className={styles.head}>
            {values.data.groups > values.data.rows.length
              ? `The ${values.data.rows.length} most frequent of ${formatCount(values.data.groups)} values`
              : 'Values by their number'}
          </p>
          <ol className={styles.list}>
            {values.data.rows.map(({ key, count }) => (
              <li key={key}>
                <button
                  type="button"
                  className={styles.value}
                  disabled={key === ''}
                  onClick={() => state.choose(field.path, key)}
                >
                  <span className={styles.text}>
                    {key === '' ? <em>empty</em> : <SafeText text={key} lengthMax={60} />}
                  </span>
                  <span className={styles.count}>{formatCount(count)}</span>
                  <ShareBar share={count / largest} />
                </button>
              </li>
            ))}
          </ol>
        </>
      )}
    </div>
  )
}
