import { useMutation } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { api } from '../../api/client.ts'
import { Button, buttonClass } from '../../components/Button.tsx'
import { Card } from '../../components/Card.tsx'
import { CopyButton } from '../../components/CopyButton.tsx'
import { ErrorState } from '../../components/ErrorState.tsx'
import { Snippet } from '../../components/Snippet.tsx'
import styles from './GatePage.module.css'

export interface SignedCardProps {
  /** The name of a policy of the server. */
  readonly policy: string
  readonly address: string
}

/** A signed verdict of now, to hand on: the page Verify checks it. */
export function SignedCard({ policy, address }: SignedCardProps) {
  const { data, error, isPending, mutate } = useMutation({
    mutationFn: () =>
      api.signedGate(policy, address, { audience: window.location.host, nonce: crypto.randomUUID() }),
  })
  const hash = data === undefined ? '' : `verdict=${data.trim()}`
  return (
    <Card title="Signed verdict">
      <div className={styles.form}>
        <p className={styles.quiet}>
          This server signs its verdict of now, so that others can check it. It holds for five minutes.
        </p>
        <div className={styles.actions}>
          <Button disabled={isPending} onClick={() => mutate()}>
            {data === undefined ? 'Sign the verdict' : 'Sign it again'}
          </Button>
          {data !== undefined && (
            <>
              <Link to="/verify" hash={hash} className={buttonClass()}>
                Check it
              </Link>
              <span className={styles.share}>
                Link to it
                <CopyButton value={`${window.location.origin}/verify#${hash}`} label="Copy the link" />
              </span>
            </>
          )}
        </div>
        {data !== undefined && <Snippet label="The signed verdict" code={data.trim()} />}
        {error !== null && <ErrorState error={error} onRetry={() => mutate()} />}
      </div>
    </Card>
  )
}
