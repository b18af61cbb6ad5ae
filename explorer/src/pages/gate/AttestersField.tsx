import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { schemaDetailsQuery } from '../../api/queries.ts'
import { Address } from '../../components/Address.tsx'
import { Button } from '../../components/Button.tsx'
import { classNames } from '../../components/classNames.ts'
import controls from '../../components/filters/Field.module.css'
import { Icon } from '../../components/Icon.tsx'
import { checkAddress } from '../../format/checkFilter.ts'
import { formatCount, formatQuantity } from '../../format/formatCount.ts'
import type { Condition } from './policyForm.ts'
import styles from './GatePage.module.css'

export interface AttestersFieldProps {
  readonly condition: Condition
  readonly onChange: (patch: Partial<Condition>) => void
}

/** The attesters whose attestations count: the top attesters of the schema to tick, others by address, or anyone. */
export function AttestersField({ condition, onChange }: AttestersFieldProps) {
  const { schema, protocol, attesters, distinctAttesters } = condition
  const { data } = useQuery(schemaDetailsQuery(schema, protocol))
  const top = data?.topAttesters ?? []
  const chosen = attesters === 'any' ? [] : attesters
  const has = (address: string) => chosen.some((each) => each.toLowerCase() === address.toLowerCase())
  const rows = [
    ...top,
    ...chosen
      .filter((address) => !top.some((each) => each.address.toLowerCase() === address.toLowerCase()))
      .map((address) => ({ address, count: undefined })),
  ]
  const choose = (list: readonly string[]) =>
    onChange({
      attesters: list,
      // Never more different attesters than are named.
      distinctAttesters:
        distinctAttesters === undefined || list.length < 2
          ? undefined
          : Math.min(distinctAttesters, list.length),
    })
  return (
    <fieldset className={styles.attesters}>
      <legend className={controls.label}>Attested by one of</legend>
      {attesters !== 'any' && (
        <>
          <ul className={styles.ticks}>
            {rows.map(({ address, count }) => (
              <li key={address}>
                <label className={styles.tick}>
                  <input
                    type="checkbox"
                    checked={has(address)}
                    onChange={({ currentTarget }) =>
                      choose(
                        currentTarget.checked
                          ? [...chosen, address]
                          : chosen.filter((each) => each.toLowerCase() !== address.toLowerCase()),
                      )
                    }
                  />
                  <Address address={address} linked={false} copyable={false} />
                </label>
                {count !== undefined && (
                  <span className={styles.count}>{formatQuantity(count, 'attestation')}</span>
                )}
              </li>
            ))}
          </ul>
          <AnotherAttester onAdd={(address) => (has(address) ? undefined : choose([...chosen, address]))} />
          {chosen.length > 1 && (
            <label className={styles.inline}>
              How many of them must have attested
              <input
                type="number"
                className={classNames(controls.control, styles.number)}
                min={1}
                max={chosen.length}
                value={distinctAttesters ?? 1}
                onChange={({ currentTarget: { valueAsNumber } }) => {
                  if (!(valueAsNumber >= 1 && valueAsNumber <= chosen.length)) return
                  onChange({ distinctAttesters: valueAsNumber === 1 ? undefined : Math.trunc(valueAsNumber) })
                }}
              />
              of {formatCount(chosen.length)}
            </label>
          )}
        </>
      )}
      <label className={styles.tick}>
        <input
          type="checkbox"
          checked={attesters === 'any'}
          onChange={({ currentTarget }) =>
            onChange({ attesters: currentTarget.checked ? 'any' : [], distinctAttesters: undefined })
          }
        />
        Anyone
      </label>
      {attesters === 'any' && (
        <p className={styles.warning} role="note">
          <Icon name="warning" /> Anybody can attest under a schema, also the address itself. Only use this
          where the schema itself refuses attesters, or to look around.
        </p>
      )}
    </fieldset>
  )
}

function AnotherAttester({ onAdd }: { readonly onAdd: (address: string) => void }) {
  const [text, setText] = useState('')
  const [mistake, setMistake] = useState<string>()
  const add = () => {
    const address = text.trim()
    if (address === '') return
    const found = checkAddress(address)
    setMistake(found)
    if (found !== undefined) return
    setText('')
    onAdd(address)
  }
  return (
    <div className={styles.another}>
      <input
        className={classNames(controls.control, controls.mono)}
        aria-label="Another attester"
        placeholder="Another attester: 0x…"
        value={text}
        aria-invalid={mistake !== undefined}
        autoComplete="off"
        spellCheck={false}
        onChange={({ currentTarget }) => {
          setText(currentTarget.value)
          setMistake(undefined)
        }}
        onKeyDown={(event) => {
          if (event.key !== 'Enter' || event.nativeEvent.isComposing) return
          event.preventDefault()
          add()
        }}
      />
      <Button onClick={add}>Add</Button>
      {mistake !== undefined && (
        <p className={styles.mistake} role="alert">
          {mistake}
        </p>
      )}
    </div>
  )
}
