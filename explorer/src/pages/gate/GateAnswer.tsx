import { useQuery } from '@tanstack/react-query'
import { gateQuery } from '../../api/queries.ts'
import type { GateVerdict } from '../../api/types.ts'
import { Address } from '../../components/Address.tsx'
import { Card } from '../../components/Card.tsx'
import { classNames } from '../../components/classNames.ts'
import { ChainBadge } from '../../components/ChainBadge.tsx'
import { ErrorState } from '../../components/ErrorState.tsx'
import { Facts } from '../../components/Facts.tsx'
import { Hash } from '../../components/Hash.tsx'
import { Icon } from '../../components/Icon.tsx'
import { SkeletonBlock } from '../../components/Skeleton.tsx'
import { Time } from '../../components/Time.tsx'
import { formatCount } from '../../format/formatCount.ts'
import { Terms } from './Terms.tsx'
import styles from './GatePage.module.css'

export interface GateQuestion {
  readonly policy: string | Readonly<Record<string, unknown>>
  readonly address: string
  readonly asOf: string | undefined
}

const words = {
  allow: { icon: 'check', title: 'The policy lets this address through' },
  deny: { icon: 'close', title: 'The policy does not let this address through' },
  unknown: { icon: 'warning', title: 'Whether the policy lets this address through is not known' },
} as const

/** The verdict of a policy on an address, and why. */
export function GateAnswer(question: GateQuestion) {
  const { data, error, isError, refetch } = useQuery(gateQuery(question))
  if (data !== undefined) return <Judged answer={data} />
  if (isError) return <ErrorState error={error} onRetry={() => void refetch()} />
  return <SkeletonBlock className={styles.pendingAnswer} />
}

function momentWords(block: number | null, timestamp: number | null): string {
  if (block !== null) return `block ${formatCount(block)}`
  return timestamp === null ? 'not indexed here' : 'at the same time'
}

function Judged({ answer }: { readonly answer: GateVerdict }) {
  const { rows, asOf, at, policyHash } = answer
  const [row] = rows
  if (row === undefined) return null
  const { icon, title } = words[row.verdict]
  return (
    <>
      <section className={classNames(styles.verdict, styles[row.verdict])}>
        <h2>
          <Icon name={icon} /> {title}
        </h2>
        {row.verdict === 'unknown' && <p>{row.reasons.join(' ')}</p>}
      </section>
      <Card title="Term by term" flush>
        <Terms terms={row.terms ?? []} />
      </Card>
      <Card title="Judged" flush>
        <Facts
          facts={[
            { label: 'Address', value: <Address address={row.subject} full linked /> },
            { label: 'Counted at', value: <Time seconds={String(at)} show="both" /> },
            ...asOf.map(({ chainId, block, hash, timestamp }) => ({
              label: 'As of',
              value: (
                <span className={styles.moment}>
                  <ChainBadge chainId={chainId} />
                  {momentWords(block, timestamp)}
                  {hash !== null && <Hash hash={hash} what="block hash" />}
                </span>
              ),
            })),
            { label: 'Policy', value: <Hash hash={policyHash} what="policy hash" full /> },
          ]}
        />
      </Card>
    </>
  )
}
