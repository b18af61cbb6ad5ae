import { useState } from 'react'
import type { Policies } from '../../api/types.ts'
import { Button } from '../../components/Button.tsx'
import { Card } from '../../components/Card.tsx'
import { classNames } from '../../components/classNames.ts'
import controls from '../../components/filters/Field.module.css'
import { SelectField } from '../../components/filters/SelectField.tsx'
import { Segments } from '../../components/Segments.tsx'
import { readRule } from './gateSearch.ts'
import { Labelled } from './Labelled.tsx'
import { emptyCondition, readPolicyForm, writePolicy, type PolicyForm } from './policyForm.ts'
import { PolicyFields } from './PolicyFields.tsx'
import { ownPolicy, type GateDraft } from './useGateDraft.ts'
import styles from './GatePage.module.css'

export interface PolicyCardProps {
  readonly policies: Policies
  readonly draft: GateDraft
}

type View = 'form' | 'json'

/** The policy: one of the server by its name, or the reader's own as a form or as JSON. */
export function PolicyCard({ policies: { rows, allowsInline }, draft }: PolicyCardProps) {
  const { filled, change, mistakes } = draft
  const { policy } = filled
  const [view, setView] = useState<View>('form')
  const chosen = rows.find(({ name }) => name === policy)
  const isOwn = policy === ownPolicy
  const isUnknown = !isOwn && chosen === undefined
  const choices = [
    ...rows.map(({ name }) => ({ value: name, label: name })),
    ...(isUnknown ? [{ value: policy, label: `${policy} (not a policy of this server)` }] : []),
    ...(allowsInline ? [{ value: ownPolicy, label: 'A policy of my own' }] : []),
  ]
  const rule = chosen === undefined ? filled.rule : JSON.stringify(chosen.policy, null, 2)
  const read = readRule(rule)
  const form = rule === '' ? emptyForm : read.kind === 'rule' ? readPolicyForm(read.rule) : null
  const write = (next: PolicyForm) => change({ rule: JSON.stringify(writePolicy(next), null, 2) })
  return (
    <Card
      title="Policy"
      actions={
        !isUnknown && (
          <Segments
            label="Show the policy as"
            choices={[
              { value: 'form', label: 'Form' },
              { value: 'json', label: 'JSON' },
            ]}
            value={view}
            onChange={setView}
          />
        )
      }
    >
      <div className={styles.form}>
        {rows.length > 0 && (
          <SelectField
            label="Policy"
            choices={choices}
            value={policy}
            onChange={(name) => change({ policy: name })}
          />
        )}
        {!isUnknown && view === 'form' && form !== null && (
          // A policy of the server is read, not written.
          <fieldset disabled={!isOwn} className={styles.readOnly}>
            <PolicyFields form={form} onChange={write} />
          </fieldset>
        )}
        {!isUnknown && view === 'form' && form === null && (
          <div className={styles.beyond}>
            <p>{read.kind === 'mistake' ? read.message : 'This policy says more than the form can show.'}</p>
            <Button onClick={() => setView('json')}>Show it as JSON</Button>
          </div>
        )}
        {!isUnknown && view === 'json' && (
          <RuleText
            text={rule}
            isOwn={isOwn}
            mistake={isOwn ? mistakes.rule : undefined}
            onChange={(text) => change({ rule: text })}
          />
        )}
        {chosen !== undefined && allowsInline && (
          <div>
            <Button onClick={() => change({ policy: ownPolicy, rule })}>Edit a copy</Button>
          </div>
        )}
      </div>
    </Card>
  )
}

const emptyForm: PolicyForm = { match: 'all', conditions: [emptyCondition], maxStaleness: '10m' }

interface RuleTextProps {
  readonly text: string
  readonly isOwn: boolean
  readonly mistake: string | undefined
  readonly onChange: (text: string) => void
}

function RuleText({ text, isOwn, mistake, onChange }: RuleTextProps) {
  return (
    <Labelled label={isOwn ? 'The policy, as JSON' : 'What it says'} mistake={mistake}>
      {(control) => (
        <textarea
          {...control}
          className={classNames(styles.rule, controls.mono)}
          rows={14}
          readOnly={!isOwn}
          placeholder='{ "holds": { "schema": "onchain_evm_…", "attester": ["0x…"] } }'
          value={text}
          onChange={({ currentTarget }) => onChange(currentTarget.value)}
        />
      )}
    </Labelled>
  )
}
