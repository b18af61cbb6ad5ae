import { Button } from '../../components/Button.tsx'
import { SelectField } from '../../components/filters/SelectField.tsx'
import { Icon } from '../../components/Icon.tsx'
import { Segments } from '../../components/Segments.tsx'
import { AttestersField } from './AttestersField.tsx'
import { FieldTerms } from './FieldTerms.tsx'
import { emptyCondition, type Condition, type PolicyForm } from './policyForm.ts'
import { SchemaField } from './SchemaField.tsx'
import styles from './GatePage.module.css'

export interface PolicyFieldsProps {
  readonly form: PolicyForm
  readonly onChange: (form: PolicyForm) => void
}

/** A policy as a form: its conditions, of which all or one must hold. */
export function PolicyFields({ form, onChange }: PolicyFieldsProps) {
  const { conditions, match } = form
  const set = (index: number, patch: Partial<Condition>) =>
    onChange({
      ...form,
      conditions: conditions.map((condition, at) => (at === index ? { ...condition, ...patch } : condition)),
    })
  return (
    <div className={styles.policy}>
      {conditions.length > 1 && (
        <Segments
          label="How many conditions must hold"
          choices={[
            { value: 'all', label: 'All must hold' },
            { value: 'any', label: 'One must hold' },
          ]}
          value={match}
          onChange={(next) => onChange({ ...form, match: next })}
        />
      )}
      {conditions.map((condition, index) => (
        <ConditionFields
          key={index}
          number={index + 1}
          condition={condition}
          onChange={(patch) => set(index, patch)}
          onRemove={
            conditions.length === 1
              ? undefined
              : () => onChange({ ...form, conditions: conditions.filter((_, at) => at !== index) })
          }
        />
      ))}
      <div>
        <Button onClick={() => onChange({ ...form, conditions: [...conditions, emptyCondition] })}>
          Add a condition
        </Button>
      </div>
    </div>
  )
}

interface ConditionFieldsProps {
  readonly number: number
  readonly condition: Condition
  readonly onChange: (patch: Partial<Condition>) => void
  /** Undefined for the only condition. */
  readonly onRemove: (() => void) | undefined
}

const ages = [
  { value: '', label: 'Any age' },
  { value: '7d', label: 'At most 7 days old' },
  { value: '30d', label: 'At most 30 days old' },
  { value: '90d', label: 'At most 90 days old' },
  { value: '365d', label: 'At most 365 days old' },
] as const

function ConditionFields({ number, condition, onChange, onRemove }: ConditionFieldsProps) {
  const { isHeld, schema, maxAge = '' } = condition
  const isListed = ages.some(({ value }) => value === maxAge)
  return (
    <section className={styles.condition} aria-label={`Condition ${number}`}>
      <div className={styles.conditionHead}>
        <Segments
          label="The address"
          choices={[
            { value: 'holds', label: 'Holds' },
            { value: 'lacks', label: 'Does not hold' },
          ]}
          value={isHeld ? 'holds' : 'lacks'}
          onChange={(value) => onChange({ isHeld: value === 'holds' })}
        />
        {onRemove !== undefined && (
          <button
            type="button"
            className={styles.remove}
            aria-label={`Remove condition ${number}`}
            onClick={onRemove}
          >
            <Icon name="close" />
          </button>
        )}
      </div>
      <SchemaField
        schema={schema}
        onChoose={(chosen, protocol) =>
          onChange(
            chosen === schema
              ? { protocol }
              : { schema: chosen, protocol, attesters: [], fields: [], distinctAttesters: undefined },
          )
        }
      />
      {schema !== '' && (
        <>
          <AttestersField condition={condition} onChange={onChange} />
          <FieldTerms condition={condition} onChange={onChange} />
          <SelectField
            label="Age"
            choices={isListed ? ages : [...ages, { value: maxAge, label: `At most ${maxAge}` }]}
            value={maxAge}
            onChange={(value) => onChange({ maxAge: value === '' ? undefined : value })}
          />
        </>
      )}
    </section>
  )
}
