import { useQuery } from '@tanstack/react-query'
import type { checkNames, VerifiedAlone } from '@attestry/client/offchain.ts'
import { verifyAloneQuery, verifyOffchainQuery } from '../../api/queries.ts'
import { ErrorState } from '../../components/ErrorState.tsx'
import { SkeletonBlock } from '../../components/Skeleton.tsx'
import { Checks } from './Checks.tsx'
import { StoreCard } from './StoreCard.tsx'
import { Verdict } from './Verdict.tsx'
import { Verified } from './Verified.tsx'
import styles from './VerifyPage.module.css'

/** The result that the browser computes from the text, then what the index knows of it. */
export function OffchainAnswer({ text }: { readonly text: string }) {
  const { data, error, isError, refetch } = useQuery(verifyAloneQuery(text))
  if (isError) return <ErrorState error={error} onRetry={() => void refetch()} />
  if (data === undefined) return <SkeletonBlock className={styles.pending} />
  const { envelope, checks } = data.alone
  if (envelope !== null) {
    return (
      <>
        <IndexAnswer {...data} envelope={envelope} />
        <StoreCard protocol={data.alone.protocol} text={JSON.stringify(envelope)} />
      </>
    )
  }
  // Nobody is asked about a text that is no attestation.
  return (
    <>
      <Verdict
        kind="invalid"
        words="This is no attestation that can be read"
        reason={checks[0]?.message ?? ''}
      />
      <Checks checks={checks} />
    </>
  )
}

interface IndexAnswerProps {
  readonly alone: VerifiedAlone
  readonly checkNames: typeof checkNames
  readonly envelope: NonNullable<VerifiedAlone['envelope']>
}

function IndexAnswer({ alone, checkNames: names, envelope }: IndexAnswerProps) {
  const verified = useQuery(verifyOffchainQuery(envelope))
  if (verified.data !== undefined) return <Verified verified={verified.data} />
  if (verified.isError) {
    return (
      <>
        <ErrorState error={verified.error} onRetry={() => void verified.refetch()} />
        <Checks checks={alone.checks} />
      </>
    )
  }
  const passed = alone.checks.filter(({ ok }) => ok)
  const checks = names.map((name) => {
    // The index may know more contracts of EAS, and a contract may have signed.
    const known = passed.find((check) => check.name === name)
    return known ?? { name, ok: null, message: 'The index is asked.' }
  })
  return (
    <>
      <Verdict kind="asked" words="The index is asked" />
      <Checks checks={checks} />
    </>
  )
}
