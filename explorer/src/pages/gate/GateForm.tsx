import { useQuery } from '@tanstack/react-query'
import { useId, useState } from 'react'
import { gateExampleQuery } from '../../api/queries.ts'
import type { Policies } from '../../api/types.ts'
import { Button } from '../../components/Button.tsx'
import { classNames } from '../../components/classNames.ts'
import { SelectField } from '../../components/filters/SelectField.tsx'
import controls from '../../components/filters/Field.module.css'
import { checkAddress } from '../../format/checkFilter.ts'
import {
  asOfMistake,
  readGateSearch,
  readRule,
  ruleUnder,
  schemaOfPolicy,
  type GateSearch,
} from './gateSearch.ts'
import styles from './GatePage.module.css'

export interface GateFormProps {
  readonly policies: Policies
  readonly search: GateSearch
  readonly onTry: (search: GateSearch) => void
}

/** The choice that stands for a policy that the reader writes. */
const own = ''

/** Undefined members have not been written: an example of this index stands in for them. */
interface Draft {
  readonly policy: string
  readonly rule: string | undefined
  readonly address: string | undefined
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
  const chosen = rows.find(({ name }) => name === policy)
  const example = useExample(search, policy === own ? undefined : chosen?.policy)
  const filled = { ...draft, rule: draft.rule ?? example.rule, address: draft.address ?? example.address }
  const asked = searchOf(filled)
  const shown = draftOf(search, policies)
  const isEdited =
    isQuestion(search) &&
    JSON.stringify(asked) !==
      JSON.stringify(searchOf({ ...shown, rule: shown.rule ?? '', address: shown.address ?? '' }))
  const change = (part: Partial<Draft>) => setDraft({ ...draft, ...part })
  const names = rows.map(({ name }) => ({ value: name, label: name }))
  const isUnknown = policy !== own && chosen === undefined
  const choices = [
    ...names,
    ...(isUnknown ? [{ value: policy, label: `${policy} (not a policy of this server)` }] : []),
    ...(allowsInline ? [{ value: own, label: 'A policy of my own' }] : []),
  ]
  const read = policy === own ? readRule(filled.rule) : null
  const mistakes = {
    rule: read?.kind === 'mistake' ? read.message : undefined,
    address: checkAddress(filled.address.trim()),
    asOf: draft.asOf.trim() === '' ? undefined : asOfMistake(draft.asOf.trim()),
  }

  function send(): void {
    setIsSent(true)
    if (Object.values(mistakes).some((mistake) => mistake !== undefined)) return
    // The example has been asked, and stays.
    setDraft(filled)
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
              placeholder='{ "holds": { "schema": "onchain_evm_…", "attester": ["0x…"] } }'
              value={chosen === undefined ? filled.rule : JSON.stringify(chosen.policy, null, 2)}
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
              value={filled.address}
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
    rule: search.rule,
    address: search.address,
    asOf: search.asOf ?? '',
  }
}

/**
 * A policy and an address to begin with, of records that this index has: an account that holds what the policy asks for,
 * if any does. Empty texts until they are known.
 */
function useExample(
  search: GateSearch,
  chosen: unknown,
): { readonly rule: string; readonly address: string } {
  const read = chosen === undefined && search.rule !== undefined ? readRule(search.rule) : null
  const schemaId = schemaOfPolicy(read?.kind === 'rule' ? read.rule : chosen)
  const { data } = useQuery({ ...gateExampleQuery(schemaId), enabled: !isQuestion(search) })
  if (data === null || data === undefined) return { rule: '', address: '' }
  return { rule: ruleUnder(data.schemaId, [data.attester], data.protocol), address: data.address }
}

/** What a draft asks. */
function searchOf({ policy, rule, ...rest }: Record<keyof Draft, string>): GateSearch {
  return readGateSearch({ ...rest, ...(policy === own ? { rule } : { policy }) })
}

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
