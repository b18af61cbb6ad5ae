import { useQuery } from '@tanstack/react-query'
import { verifyPrivateQuery } from '../../api/queries.ts'
import { Card } from '../../components/Card.tsx'
import { ErrorState } from '../../components/ErrorState.tsx'
import { PayloadTable } from '../../components/payload/PayloadTable.tsx'
import { SkeletonBlock } from '../../components/Skeleton.tsx'
import { Checks } from './Checks.tsx'
import type { PrivateInput } from './offchainInput.ts'
import { Verdict } from './Verdict.tsx'
import styles from './VerifyPage.module.css'

/** Whether values are among the private data of an attestation, and the values. */
export function PrivateAnswer({ input }: { readonly input: PrivateInput }) {
  const { data, error, isError, refetch } = useQuery(verifyPrivateQuery(input))
  if (isError) return <ErrorState error={error} onRetry={() => void refetch()} />
  if (data === undefined) return <SkeletonBlock className={styles.pending} />
  const { valid, revealed, checks } = data
  const reason = checks.find(({ ok }) => !ok)?.message
  return (
    <>
      <Verdict
        kind={valid ? 'valid' : 'invalid'}
        words={
          valid ? 'These values are among the private data' : 'These values are not shown to be private data'
        }
        {...(reason === undefined ? {} : { reason })}
      />
      <Checks checks={checks} />
      {revealed.length > 0 && (
        <Card title={valid ? 'Revealed' : 'Claimed, not proven'} flush>
          <PayloadTable caption="The values of the proof" fields={revealed} />
        </Card>
      )}
    </>
  )
}
