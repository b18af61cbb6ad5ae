import { useQuery } from '@tanstack/react-query'
import { schemaQuery } from '../../api/queries.ts'
import { Button } from '../../components/Button.tsx'
import { classNames } from '../../components/classNames.ts'
import controls from '../../components/filters/Field.module.css'
import { Select } from '../../components/filters/Select.tsx'
import { Icon } from '../../components/Icon.tsx'
import {
  checkFieldValue,
  filteredFields,
  operatorLabels,
  type FilteredField,
} from '../../format/fieldFilters.ts'
import { plainText } from '../../format/inspectText.ts'
import { freeOperators, type Condition, type FieldTerm } from './policyForm.ts'
import styles from './GatePage.module.css'

export interface FieldTermsProps {
  readonly condition: Condition
  readonly onChange: (patch: Partial<Condition>) => void
}

/** The conditions on decoded fields of the schema. */
export function FieldTerms({ condition, onChange }: FieldTermsProps) {
  const { schema, protocol, fields } = condition
  const { data } = useQuery(schemaQuery(schema, protocol))
  const known = (data?.data ?? []).flatMap((field, index) => filteredFields(field, index))
  const set = (index: number, patch: Partial<FieldTerm>) =>
    onChange({ fields: fields.map((term, at) => (at === index ? { ...term, ...patch } : term)) })
  const free = known.flatMap(({ path, kind, operators }) =>
    freeOperators(path, operators, fields).map((operator) => ({ path, kind, operator })),
  )
  const [first] = free
  return (
    <fieldset className={styles.fields}>
      <legend className={controls.label}>With values</legend>
      {fields.map((term, index) => (
        <FieldTermRow
          key={index}
          term={term}
          known={known}
          others={fields.filter((_, at) => at !== index)}
          onChange={(patch) => set(index, patch)}
          onRemove={() => onChange({ fields: fields.filter((_, at) => at !== index) })}
        />
      ))}
      <div>
        <Button
          disabled={first === undefined}
          onClick={() => {
            if (first === undefined) return
            const { path, kind, operator } = first
            onChange({ fields: [...fields, { path, operator, value: kind === 'boolean' ? 'true' : '' }] })
          }}
        >
          Add a value
        </Button>
      </div>
    </fieldset>
  )
}

interface FieldTermRowProps {
  readonly term: FieldTerm
  readonly known: readonly FilteredField[]
  readonly others: readonly FieldTerm[]
  readonly onChange: (patch: Partial<FieldTerm>) => void
  readonly onRemove: () => void
}

function FieldTermRow({ term, known, others, onChange, onRemove }: FieldTermRowProps) {
  const { path, operator, value } = term
  const field = known.find((each) => each.path === path)
  const kind = field?.kind ?? 'text'
  const mistake = value === '' ? undefined : checkFieldValue(kind, value)
  const operators = freeOperators(path, field?.operators ?? [operator], others)
  const offered = known.filter((each) => freeOperators(each.path, each.operators, others).length > 0)
  const label = field?.label ?? plainText(path, 40)
  return (
    <div className={styles.fieldTerm}>
      <Select
        aria-label="Field"
        value={path}
        choices={[
          ...(field === undefined ? [{ value: path, label }] : []),
          ...offered.map((each) => ({ value: each.path, label: each.label })),
        ]}
        onChange={(next) => {
          const chosen = known.find((each) => each.path === next)
          const left = freeOperators(next, chosen?.operators ?? [], others)
          const [firstOperator = 'equals'] = left
          onChange({
            path: next,
            operator: left.includes(operator) ? operator : firstOperator,
            value: chosen?.kind === 'boolean' ? 'true' : chosen?.kind === kind ? value : '',
          })
        }}
      />
      <Select
        aria-label={`Condition on ${label}`}
        value={operator}
        choices={operators.map((each) => ({ value: each, label: operatorLabels[each] }))}
        onChange={(next) => onChange({ operator: next })}
      />
      {kind === 'boolean' ? (
        <Select
          aria-label={`Value of ${label}`}
          value={value}
          choices={[
            { value: 'true', label: 'true' },
            { value: 'false', label: 'false' },
          ]}
          onChange={(next) => onChange({ value: next })}
        />
      ) : (
        <input
          className={classNames(controls.control, kind === 'bytes' && controls.mono)}
          aria-label={`Value of ${label}`}
          aria-invalid={mistake !== undefined}
          placeholder={kind === 'integer' ? '2' : kind === 'bytes' ? '0x…' : 'Value'}
          title={mistake}
          value={value}
          autoComplete="off"
          spellCheck={false}
          onChange={({ currentTarget }) => onChange({ value: currentTarget.value })}
        />
      )}
      <button
        type="button"
        className={styles.remove}
        aria-label={`Remove the condition on ${label}`}
        onClick={onRemove}
      >
        <Icon name="close" />
      </button>
    </div>
  )
}
