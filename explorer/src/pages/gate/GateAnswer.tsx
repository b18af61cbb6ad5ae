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
import { Reasons } from './Reasons.tsx'
import styles from './GatePage.module.css'

export interface GateQuestion {
  readonly policy: string | Readonly<Record<string, unknown>>
  readonly address: string
  readonly asOf: string | undefined
}

const words = {
  allow: { icon: 'check', title: 'This address passes' },
  deny: { icon: 'close', title: 'This address does not pass' },
  unknown: { icon: 'warning', title: 'Not known whether this address passes' },
} as const

export interface GateAnswerProps {
  readonly question: GateQuestion
  /** The policies of the server by their names. */
  readonly named: ReadonlyMap<string, unknown>
}

/** The verdict of a policy on an address, and why. */
export function GateAnswer({ question, named }: GateAnswerProps) {
  const { data, error, isError, refetch } = useQuery(gateQuery(question))
  if (data !== undefined) return <Judged answer={data} rule={ruleOf(question, named)} named={named} />
  if (isError) return <ErrorState error={error} onRetry={() => void refetch()} />
  return <SkeletonBlock className={styles.pendingAnswer} />
}

function momentWords(block: number | null, timestamp: number | null): string {
  if (block !== null) return `block ${formatCount(block)}`
  return timestamp === null ? 'not indexed here' : 'at the same time'
}

/** The policy itself. */
function ruleOf({ policy }: GateQuestion, named: ReadonlyMap<string, unknown>): unknown {
  return typeof policy === 'string' ? named.get(policy) : policy
}

interface JudgedProps {
  readonly answer: GateVerdict
  readonly rule: unknown
  readonly named: ReadonlyMap<string, unknown>
}

function Judged({ answer, rule, named }: JudgedProps) {
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
      <Card title="Reasons" flush>
        <Reasons terms={row.terms ?? []} rule={rule} named={named} />
      </Card>
      <Card title="As of" flush>
        <Facts
          facts={[
            { label: 'Address', value: <Address address={row.subject} full linked /> },
            { label: 'Judged at', value: <Time seconds={String(at)} show="both" /> },
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
