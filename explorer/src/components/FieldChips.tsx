import styles from './FieldChips.module.css'
import { SafeText } from './SafeText.tsx'

const shownMax = 3

/** The first fields of a schema by their names, and how many more there are. */
export function FieldChips({
  fields,
}: {
  readonly fields: readonly { readonly name: string; readonly type: string }[]
}) {
  if (fields.length === 0) return <span className={styles.none}>No fields</span>
  const others = fields.length - shownMax
  return (
    <span className={styles.chips}>
      {fields.slice(0, shownMax).map(({ name, type }, index) => (
        <span key={index} className={styles.chip}>
          <SafeText text={name === '' ? type : name} lengthMax={20} />
        </span>
      ))}
      {others > 0 && <span className={styles.more}>+{others}</span>}
    </span>
  )
}
