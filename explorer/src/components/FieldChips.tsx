import styles from './FieldChips.module.css'
import { SafeText } from './SafeText.tsx'

const shownMax = 3
/** As many characters as the column has room for; a chip takes the room of some more. */
const charactersMax = 30
const chipCharacters = 3
const nameMax = 20

/** The first fields of a schema by their names, as many as are readable in full, and how many more there are. */
export function FieldChips({
  fields,
}: {
  readonly fields: readonly { readonly name: string; readonly type: string }[]
}) {
  if (fields.length === 0) return <span className={styles.none}>No fields</span>
  const names = fields.map(({ name, type }) => (name === '' ? type : name))
  const shown = names.slice(0, shownCount(names))
  const others = names.length - shown.length
  return (
    <span className={styles.chips}>
      {shown.map((name, index) => (
        <span key={index} className={styles.chip} data-whole>
          <SafeText text={name} lengthMax={nameMax} />
        </span>
      ))}
      {others > 0 && <span className={styles.more}>+{others}</span>}
    </span>
  )
}

function shownCount(names: readonly string[]): number {
  let room = charactersMax
  const end = names.findIndex((name, index) => {
    room -= Math.min(name.length, nameMax) + chipCharacters
    return index > 0 && (index === shownMax || room < 0)
  })
  return end === -1 ? names.length : end
}
