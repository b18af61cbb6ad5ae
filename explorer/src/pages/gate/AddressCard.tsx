import { useState } from 'react'
import { Card } from '../../components/Card.tsx'
import { classNames } from '../../components/classNames.ts'
import controls from '../../components/filters/Field.module.css'
import { Labelled } from './Labelled.tsx'
import type { GateDraft } from './useGateDraft.ts'
import styles from './GatePage.module.css'

/** The address to judge, and the moment. The verdict follows as they are typed; Enter asks at once. */
export function AddressCard({ draft: { filled, change, mistakes, ask } }: { readonly draft: GateDraft }) {
  // Mistakes are not reported in the middle of a word.
  const [isComplete, setComplete] = useState(false)
  const edit = (patch: Parameters<typeof change>[0]) => {
    setComplete(false)
    change(patch)
  }
  const shows = (text: string) => isComplete || text.trim().length >= 42
  return (
    <Card title="Address">
      <form
        className={styles.form}
        noValidate
        onSubmit={(event) => {
          event.preventDefault()
          setComplete(true)
          ask()
        }}
      >
        <TextInput
          label="Check this address"
          placeholder="0x…"
          value={filled.address}
          mistake={shows(filled.address) ? mistakes.address : undefined}
          onChange={(address) => edit({ address })}
          onComplete={() => setComplete(true)}
        />
        <TextInput
          label="As of a block or a time, if not now"
          placeholder="10:120000000"
          value={filled.asOf}
          mistake={shows('') ? mistakes.asOf : undefined}
          onChange={(asOf) => edit({ asOf })}
          onComplete={() => setComplete(true)}
        />
        <button type="submit" className="visuallyHidden" tabIndex={-1}>
          Check
        </button>
      </form>
    </Card>
  )
}

interface TextInputProps {
  readonly label: string
  readonly placeholder: string
  readonly value: string
  readonly mistake: string | undefined
  readonly onChange: (text: string) => void
  readonly onComplete: () => void
}

function TextInput({ label, placeholder, value, mistake, onChange, onComplete }: TextInputProps) {
  return (
    <Labelled label={label} mistake={mistake}>
      {(control) => (
        <input
          {...control}
          className={classNames(controls.control, controls.mono)}
          placeholder={placeholder}
          value={value}
          enterKeyHint="go"
          onBlur={onComplete}
          onChange={({ currentTarget }) => onChange(currentTarget.value)}
        />
      )}
    </Labelled>
  )
}
