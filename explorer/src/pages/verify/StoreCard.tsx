import { useMutation, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useId, useState } from 'react'
import { storeFactsQuery } from '../../api/queries.ts'
import { storeStatement } from '../../api/storeStatement.ts'
import { Button } from '../../components/Button.tsx'
import { Card } from '../../components/Card.tsx'
import { SafeText } from '../../components/SafeText.tsx'
import styles from './VerifyPage.module.css'

export interface StoreCardProps {
  readonly protocol: string | null
  readonly text: string
}

/** Submits a statement of EAS or BAS to the server's store. Renders nothing if the server has no store. */
export function StoreCard({ protocol, text }: StoreCardProps) {
  const { data: facts } = useQuery(storeFactsQuery())
  const [key, setKey] = useState('')
  const label = useId()
  const {
    mutate,
    data: id,
    error,
    isPending,
  } = useMutation({ mutationFn: () => storeStatement(text, key.trim()) })
  if (facts?.stores !== true || protocol !== 'eas') return null
  return (
    <Card title="Store it on this server">
      <form
        className={styles.form}
        onSubmit={(event) => {
          event.preventDefault()
          mutate()
        }}
      >
        <p>
          Everybody can then read it here. The server verifies it again, and stores it if every check passes.
          Nothing is signed.
        </p>
        {facts.needsKey && (
          <>
            <label htmlFor={label} className={styles.label}>
              A key of the operator
            </label>
            <input
              id={label}
              className={styles.text}
              type="password"
              value={key}
              autoComplete="off"
              spellCheck={false}
              onChange={(event) => setKey(event.target.value)}
            />
          </>
        )}
        <div className={styles.actions}>
          <Button submits disabled={isPending}>
            Store
          </Button>
        </div>
        <p className={styles.mistake} role="status">
          {error !== null && <SafeText text={error.message} lengthMax={400} />}
          {id !== undefined && (
            <>
              Stored:{' '}
              <Link to="/attestation/$id" params={{ id }}>
                the record
              </Link>
            </>
          )}
        </p>
      </form>
    </Card>
  )
}
