import { formatFieldType } from '../../format/formatFieldType.ts'
import type { PayloadField } from '../../format/payloadValue.ts'
import { SafeText } from '../SafeText.tsx'
import { classNames } from '../classNames.ts'
import plain from '../plainTable.module.css'
import { PayloadValueView } from './PayloadValueView.tsx'
import styles from './PayloadTable.module.css'

export interface PayloadTableProps {
  readonly caption: string
  readonly fields: readonly PayloadField[]
}

/** A decoded payload: name, type and value of each field. */
export function PayloadTable({ caption, fields }: PayloadTableProps) {
  return (
    <table className={classNames(plain.table, styles.table)}>
      <caption className="visuallyHidden">{caption}</caption>
      <thead>
        <tr>
          <th scope="col">Name</th>
          <th scope="col">Type</th>
          <th scope="col" className={styles.value}>
            Value
          </th>
        </tr>
      </thead>
      <tbody>
        {fields.map((field, index) => (
          <tr key={index}>
            <th scope="row" className={styles.name}>
              {field.name === '' ? (
                <span className={plain.unnamed}>unnamed</span>
              ) : (
                <span className={plain.name}>
                  <SafeText text={field.name} lengthMax={80} />
                </span>
              )}
            </th>
            <td className={styles.type}>
              <code>
                <SafeText text={formatFieldType(field.type)} lengthMax={200} />
              </code>
            </td>
            <td className={styles.value}>
              <PayloadValueView field={field} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}
