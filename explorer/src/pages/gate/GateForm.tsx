import { useId, useState } from 'react'
import type { Policies } from '../../api/types.ts'
import { Button } from '../../components/Button.tsx'
import { classNames } from '../../components/classNames.ts'
import { SelectField } from '../../components/filters/SelectField.tsx'
import controls from '../../components/filters/Field.module.css'
import { checkAddress } from '../../format/checkFilter.ts'
import { asOfMistake, readGateSearch, readRule, ruleUnder, type GateSearch } from './gateSearch.ts'
import styles from './GatePage.module.css'

export interface GateFormProps {
  readonly policies: Policies
  readonly search: GateSearch
  readonly onTry: (search: GateSearch) => void
}

/** The choice that stands for a policy that the reader writes. */
const own = ''

interface Draft {
  readonly policy: string
  readonly rule: string
  readonly address: string
  readonly asOf: string
}

/** The policy and the address to try; a mistake is told at its control once the form is sent. */
export function GateForm({ policies, search, onTry }: GateFormProps) {
  const { rows, allowsInline } = policies
  const address = JSON.stringify(search)
  const [draft, setDraft] = useState(() => draftOf(search, policies))
  // A link that asks something is judged at once.
  const [isSent, setIsSent] = useState(isQuestion(search))
  const [seen, setSeen] = useState(address)
  const [sent, setSent] = useState(address)
  // The address of the page changed by a link or the browser's history, not by this form: the form follows.
  if (address !== seen) {
    setSeen(address)
    if (address !== sent) {
      setDraft(draftOf(search, policies))
      setIsSent(isQuestion(search))
    }
  }
  const { policy } = draft
  const asked = searchOf(draft)
  const isEdited = JSON.stringify(asked) !== JSON.stringify(searchOf(draftOf(search, policies)))
  const change = (part: Partial<Draft>) => setDraft({ ...draft, ...part })
  const chosen = rows.find(({ name }) => name === policy)
  const names = rows.map(({ name }) => ({ value: name, label: name }))
  const isUnknown = policy !== own && chosen === undefined
  const choices = [
    ...names,
    ...(isUnknown ? [{ value: policy, label: `${policy} (not a policy of this server)` }] : []),
    ...(allowsInline ? [{ value: own, label: 'A policy of my own' }] : []),
  ]
  const read = policy === own ? readRule(draft.rule) : null
  const mistakes = {
    rule: read?.kind === 'mistake' ? read.message : undefined,
    address: checkAddress(draft.address.trim()),
    asOf: draft.asOf.trim() === '' ? undefined : asOfMistake(draft.asOf.trim()),
  }

  function send(): void {
    setIsSent(true)
    if (Object.values(mistakes).some((mistake) => mistake !== undefined)) return
    setSent(JSON.stringify(asked))
    onTry(asked)
  }

  return (
    <form
      className={styles.form}
      data-edited={isEdited}
      noValidate
      onSubmit={(event) => {
        event.preventDefault()
        send()
      }}
    >
      <SelectField
        label="Policy"
        choices={choices}
        value={policy}
        onChange={(name) => change({ policy: name })}
      />
      {(policy === own || chosen !== undefined) && (
        <Labelled
          label={policy === own ? 'The policy, as JSON' : 'What it says'}
          mistake={isSent ? mistakes.rule : undefined}
        >
          {(control) => (
            <textarea
              {...control}
              className={classNames(styles.rule, controls.mono)}
              rows={10}
              readOnly={policy !== own}
              value={chosen === undefined ? draft.rule : JSON.stringify(chosen.policy, null, 2)}
              onChange={(event) => change({ rule: event.target.value })}
            />
          )}
        </Labelled>
      )}
      <div className={styles.pair}>
        <Labelled label="Address" mistake={isSent ? mistakes.address : undefined}>
          {(control) => (
            <input
              {...control}
              className={classNames(controls.control, controls.mono)}
              placeholder="0x…"
              value={draft.address}
              enterKeyHint="go"
              onChange={(event) => change({ address: event.target.value })}
            />
          )}
        </Labelled>
        <Labelled label="As of a block or a time, if not now" mistake={isSent ? mistakes.asOf : undefined}>
          {(control) => (
            <input
              {...control}
              className={classNames(controls.control, controls.mono)}
              placeholder="10:120000000"
              value={draft.asOf}
              enterKeyHint="go"
              onChange={(event) => change({ asOf: event.target.value })}
            />
          )}
        </Labelled>
      </div>
      <div>
        <Button look="primary" submits>
          Try
        </Button>
      </div>
    </form>
  )
}

function isQuestion({ policy, rule, address }: GateSearch): boolean {
  return address !== undefined && (policy ?? rule) !== undefined
}

function draftOf(search: GateSearch, { rows, allowsInline }: Policies): Draft {
  const [first] = rows
  const wantsOwn = search.rule !== undefined && allowsInline
  return {
    policy: search.policy ?? (wantsOwn || first === undefined ? own : first.name),
    rule: search.rule ?? ruleUnder(exampleSchema),
    address: search.address ?? '',
    asOf: search.asOf ?? '',
  }
}

/** What a draft asks. */
function searchOf({ policy, rule, ...rest }: Draft): GateSearch {
  return readGateSearch({ ...rest, ...(policy === own ? { rule } : { policy }) })
}

const exampleSchema = 'onchain_evm_11155111_0x1a'

interface LabelledProps {
  readonly label: string
  readonly mistake: string | undefined
  readonly children: (control: {
    readonly id: string
    readonly 'aria-invalid': boolean
    readonly 'aria-describedby': string
    readonly autoComplete: 'off'
    readonly spellCheck: false
  }) => React.ReactNode
}

/** A control with its label above and its mistake below. */
function Labelled({ label, mistake, children }: LabelledProps) {
  const id = useId()
  return (
    <div className={controls.field}>
      <label htmlFor={id} className={controls.label}>
        {label}
      </label>
      {children({
        id,
        'aria-invalid': mistake !== undefined,
        'aria-describedby': `${id}-mistake`,
        autoComplete: 'off',
        spellCheck: false,
      })}
      <span id={`${id}-mistake`} className={controls.mistake} role="status">
        {mistake}
      </span>
    </div>
  )
}
