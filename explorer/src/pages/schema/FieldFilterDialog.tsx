import { useLayoutEffect, useRef, useState } from 'react'
import { Icon } from '../../components/Icon.tsx'
import { FieldMistakes } from '../../components/filters/FieldMistakes.tsx'
import { SelectField } from '../../components/filters/SelectField.tsx'
import { TextField } from '../../components/filters/TextField.tsx'
import {
  checkFieldValue,
  operatorLabels,
  type FieldOperator,
  type FilteredField,
} from '../../format/fieldFilters.ts'
import styles from './FieldFilterDialog.module.css'
import { FieldValues } from './FieldValues.tsx'
import type { FieldFilters } from './useFieldFilters.ts'

/** The filters of one field: a condition, and its most frequent values. The URL says that they are open. */
export function FieldFilterDialog({
  schemaId,
  fields,
  field,
  state,
}: {
  readonly schemaId: string
  /** The field of the schema, or the members of a tuple. */
  readonly fields: readonly FilteredField[]
  /** The chosen one of them. */
  readonly field: FilteredField
  readonly state: FieldFilters
}) {
  const dialog = useRef<HTMLDialogElement>(null)
  const opener = fields[0]?.path ?? ''
  // Closed before it leaves the page: the browser then returns the focus to the button.
  useLayoutEffect(() => {
    const element = dialog.current
    if (element === null) return undefined
    placeBeside(element, opener)
    element.showModal()
    return () => element.close()
  }, [opener])
  const close = () => state.count(undefined)
  return (
    <dialog
      ref={dialog}
      className={styles.dialog}
      aria-label={`Filter by ${field.label}`}
      onCancel={(event) => {
        event.preventDefault()
        close()
      }}
      onPointerDown={({ target, currentTarget }) => {
        // Its content covers the dialog: what is left is the backdrop.
        if (target === currentTarget) close()
      }}
    >
      <div className={styles.content}>
        <FieldMistakes>
          <div className={styles.row}>
            {fields.length > 1 && (
              <SelectField
                label="Member"
                choices={fields.map(({ path, label }) => ({ value: path, label }))}
                value={field.path}
                onChange={(path) => state.count(path)}
              />
            )}
            <Condition key={field.path} field={field} state={state} />
          </div>
        </FieldMistakes>
        <FieldValues schemaId={schemaId} field={field} state={state} />
        <button type="button" className={styles.close} aria-label="Close" onClick={close}>
          <Icon name="close" />
        </button>
      </div>
    </dialog>
  )
}

/** Places a dialog below the button that opens it; narrow screens show the dialog at their lower edge. */
function placeBeside(dialog: HTMLDialogElement, opener: string): void {
  const button = [...document.querySelectorAll<HTMLElement>('[data-opens-filters]')].find(
    (each) => each.dataset['opensFilters'] === opener && each.offsetParent !== null,
  )
  if (button === undefined) return
  const { left, bottom } = button.getBoundingClientRect()
  dialog.style.setProperty('--left', `${left}px`)
  dialog.style.setProperty('--top', `${bottom}px`)
}

/** The operator and the value of a condition. */
function Condition({ field, state }: { readonly field: FilteredField; readonly state: FieldFilters }) {
  const { path, kind, operators } = field
  const active = state.filters.find((filter) => filter.path === path)
  const [operator, setOperator] = useState<FieldOperator>(active?.operator ?? 'equals')
  const current = state.filters.find((filter) => filter.path === path && filter.operator === operator)
  const choose = (value: string | undefined) => {
    if (value !== undefined) state.set(path, operator, value)
    else if (current !== undefined) state.remove(current.parameter)
  }
  if (kind === 'boolean') {
    return (
      <SelectField
        label="Value"
        choices={[
          { value: '', label: 'Any' },
          { value: 'true', label: 'true' },
          { value: 'false', label: 'false' },
        ]}
        value={current?.value ?? ''}
        onChange={(value) => choose(value === '' ? undefined : value)}
      />
    )
  }
  return (
    <>
      {operators.length > 1 && (
        <SelectField
          label="Condition"
          choices={operators.map((value) => ({ value, label: operatorLabels[value] }))}
          value={operator}
          onChange={setOperator}
        />
      )}
      <TextField
        key={operator}
        label="Value"
        value={current?.value}
        onChange={choose}
        check={(text) => checkFieldValue(kind, text)}
        mono={kind === 'bytes'}
      />
    </>
  )
}
