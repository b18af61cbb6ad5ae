import type { FieldValue } from './condition.ts'

/**
 * Makes the function that gives the value of a field of a row.
 * @param values by the names of fields.
 * @param otherwise gives the value of any other field; null: there is none.
 */
export function createValues<Row>(
  values: Readonly<Record<string, (row: Row) => FieldValue>>,
  otherwise: (row: Row, field: string) => FieldValue | null = () => null,
): (row: Row, field: string) => FieldValue {
  const valueOf = new Map(Object.entries(values))
  return (row, field) => {
    const known = valueOf.get(field)
    const value = known === undefined ? otherwise(row, field) : known(row)
    if (value === null) throw new TypeError(`there is no field ${field}`)
    return value
  }
}
