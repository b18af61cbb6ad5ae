import { useState } from 'react'
import { Card } from '../../components/Card.tsx'
import { CopyButton } from '../../components/CopyButton.tsx'
import { EmptyState } from '../../components/EmptyState.tsx'
import { SafeText } from '../../components/SafeText.tsx'
import { Segments } from '../../components/Segments.tsx'
import { classNames } from '../../components/classNames.ts'
import plain from '../../components/plainTable.module.css'
import { formatFieldType } from '../../format/formatFieldType.ts'
import styles from './Definition.module.css'

export interface DefinitionProps {
  readonly fields: readonly { readonly name: string; readonly type: string }[]
  /** The text on chain; null while it is unknown. */
  readonly raw: string | null
}

const views = [
  { value: 'fields', label: 'Fields' },
  { value: 'raw', label: 'Raw' },
] as const

/** The definition of the schema: its fields, and its text on chain. */
export function Definition({ fields, raw }: DefinitionProps) {
  const [view, setView] = useState<'fields' | 'raw'>('fields')
  return (
    <Card
      title="Definition"
      flush
      actions={<Segments label="View of the definition" choices={views} value={view} onChange={setView} />}
    >
      {view === 'raw' ? <Raw text={raw} /> : <Fields fields={fields} />}
    </Card>
  )
}

function Fields({ fields }: Pick<DefinitionProps, 'fields'>) {
  if (fields.length === 0) {
    return (
      <EmptyState title="No fields" icon="schema">
        <p>
          The text of this schema is empty or of no known form. The raw view shows it as it stands on chain.
        </p>
      </EmptyState>
    )
  }
  return (
    <table className={classNames(plain.table, styles.table)}>
      <caption className="visuallyHidden">Fields of the schema</caption>
      <thead>
        <tr>
          <th scope="col" className={styles.number}>
            #
          </th>
          <th scope="col">Name</th>
          <th scope="col">Type</th>
        </tr>
      </thead>
      <tbody>
        {fields.map(({ name, type }, index) => (
          <tr key={index}>
            <td className={styles.number}>{index + 1}</td>
            <th scope="row">
              {name === '' ? (
                <span className={plain.unnamed}>unnamed</span>
              ) : (
                <span className={plain.name}>
                  <SafeText text={name} lengthMax={80} />
                </span>
              )}
            </th>
            <td>
              <code>
                <SafeText text={formatFieldType(type)} lengthMax={200} />
              </code>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

function Raw({ text }: { readonly text: string | null }) {
  if (text === null || text === '') {
    return (
      <EmptyState title={text === null ? 'Loading' : 'Empty'} icon="schema">
        <p>{text === null ? 'The text is on its way.' : 'The schema has no text on chain.'}</p>
      </EmptyState>
    )
  }
  return (
    <div className={styles.raw}>
      <div className={styles.copy}>
        <CopyButton value={text} label="Copy the definition" />
      </div>
      <code className={styles.text}>
        <SafeText text={text} lengthMax={3000} expandable multiline />
      </code>
    </div>
  )
}
