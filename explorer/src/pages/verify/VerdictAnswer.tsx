import { useQuery } from '@tanstack/react-query'
import { signedVerdictQuery } from '../../api/queries.ts'
import { Address } from '../../components/Address.tsx'
import { Card } from '../../components/Card.tsx'
import { ChainBadge } from '../../components/ChainBadge.tsx'
import { ErrorState } from '../../components/ErrorState.tsx'
import { Facts } from '../../components/Facts.tsx'
import { Hash } from '../../components/Hash.tsx'
import { SafeText } from '../../components/SafeText.tsx'
import { SkeletonBlock } from '../../components/Skeleton.tsx'
import { Time } from '../../components/Time.tsx'
import { formatCount } from '../../format/formatCount.ts'
import { Verdict } from './Verdict.tsx'
import styles from './VerifyPage.module.css'

const words = {
  allow: 'This server signed: the address passes',
  deny: 'This server signed: the address does not pass',
  unknown: 'This server signed: it is not known whether the address passes',
} as const

/** Checks a signed verdict in the browser, by the keys of this server. */
export function VerdictAnswer({ token }: { readonly token: string }) {
  const { data, error, isError, refetch } = useQuery(signedVerdictQuery(token))
  if (isError) return <ErrorState error={error} onRetry={() => void refetch()} />
  if (data === undefined) return <SkeletonBlock className={styles.pending} />
  if (data.kind === 'refused') {
    return <Verdict kind="invalid" words="This verdict does not hold" reason={data.reason} />
  }
  const { verdict, subject, policy, policyHash, asOf, at, exp } = data.claims
  return (
    <>
      <Verdict kind={verdict === 'unknown' ? 'unconfirmed' : 'valid'} words={words[verdict]} />
      <Card title="What it says" flush>
        <Facts
          facts={[
            { label: 'Address', value: <Address address={subject} full /> },
            {
              label: 'Policy',
              value: policy === null ? 'A policy of a request' : <SafeText text={policy} lengthMax={100} />,
            },
            { label: 'Policy hash', value: <Hash hash={policyHash} what="policy hash" full /> },
            { label: 'Judged at', value: <Time seconds={at} show="both" /> },
            { label: 'Holds until', value: <Time seconds={exp} show="both" /> },
            ...asOf.map(({ chainId, block }) => ({
              label: 'As of',
              value: (
                <>
                  <ChainBadge chainId={chainId} />
                  {block !== null && ` block ${formatCount(block)}`}
                </>
              ),
            })),
            {
              label: 'Not shown',
              value:
                'Whether it answers your question: compare the address and the policy hash with those that you asked about.',
            },
          ]}
        />
      </Card>
    </>
  )
}
