import { useState } from 'react'
import { SafeText } from '../../components/SafeText.tsx'
import { FilterBar } from '../../components/filters/FilterBar.tsx'
import { FilterChips } from '../../components/filters/FilterChips.tsx'
import { SelectField } from '../../components/filters/SelectField.tsx'
import { TextField } from '../../components/filters/TextField.tsx'
import {
  checkFieldValue,
  operatorLabels,
  type FieldOperator,
  type FilteredField,
} from '../../format/fieldFilters.ts'
import { plainText } from '../../format/inspectText.ts'
import styles from './FieldFilterBar.module.css'
import type { FieldFilters } from './useFieldFilters.ts'

const noField = { value: '', label: 'Choose a field' }

/** Filters the attestations of a schema by one of its fields; filters of several fields combine. */
export function FieldFilterBar({
  fields,
  state,
}: {
  readonly fields: readonly FilteredField[]
  readonly state: FieldFilters
}) {
  if (fields.length === 0) return null
  const field = fields.find(({ path }) => path === state.counted)
  const labelOf = (path: string) => fields.find((each) => each.path === path)?.label ?? plainText(path, 40)
  return (
    <>
      <FilterBar>
        <SelectField
          label="Filter by field"
          choices={[noField, ...fields.map(({ path, label }) => ({ value: path, label }))]}
          value={field?.path ?? ''}
          onChange={(path) => state.count(path === '' ? undefined : path)}
        />
        {field !== undefined && <Condition key={field.path} field={field} state={state} />}
      </FilterBar>
      {state.filters.length > 0 && (
        <div className={styles.chips}>
          <FilterChips
            chips={state.filters.map(({ parameter, path, operator, value }) => ({
              name: parameter,
              label: `${labelOf(path)} ${operatorLabels[operator]}`,
              value: <SafeText text={value} lengthMax={40} />,
              onRemove: () => state.remove(parameter),
            }))}
            onClear={() => state.clear()}
          />
        </div>
      )}
    </>
  )
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
