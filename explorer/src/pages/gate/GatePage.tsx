import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useMemo } from 'react'
import { policiesQuery } from '../../api/queries.ts'
import type { Policies } from '../../api/types.ts'
import { Card } from '../../components/Card.tsx'
import { classNames } from '../../components/classNames.ts'
import { EmptyState } from '../../components/EmptyState.tsx'
import { ErrorState } from '../../components/ErrorState.tsx'
import { PageHeader } from '../../components/PageHeader.tsx'
import { SkeletonBlock } from '../../components/Skeleton.tsx'
import { useTitle } from '../../components/useTitle.ts'
import { checkAddress } from '../../format/checkFilter.ts'
import { AddressCard } from './AddressCard.tsx'
import { GateAnswer } from './GateAnswer.tsx'
import { asOfMistake, readRule, type GateSearch } from './gateSearch.ts'
import { ManyAddresses } from './ManyAddresses.tsx'
import { PolicyCard } from './PolicyCard.tsx'
import { PolicyCode } from './PolicyCode.tsx'
import { SignedCard } from './SignedCard.tsx'
import { useGateDraft, type GateDraft } from './useGateDraft.ts'
import styles from './GatePage.module.css'

/** Checks whether an address passes a policy, and says why. */
export function GatePage() {
  useTitle('Check an address')
  const policies = useQuery(policiesQuery())
  return (
    <>
      <PageHeader title="Check an address">
        A policy says which attestations let an address pass. A verdict says that records exist or not, never
        that somebody is safe.
      </PageHeader>
      {policies.data !== undefined ? (
        <Gate policies={policies.data} />
      ) : policies.isError ? (
        <ErrorState error={policies.error} onRetry={() => void policies.refetch()} />
      ) : (
        <SkeletonBlock className={styles.pendingForm} />
      )}
    </>
  )
}

function Gate({ policies }: { readonly policies: Policies }) {
  const search = useSearch({ from: '/gate' })
  const navigate = useNavigate({ from: '/gate' })
  const draft = useGateDraft(policies, search, (next) => {
    void navigate({ search: next, replace: true, resetScroll: false })
  })
  const { rows, allowsInline, signs } = policies
  const named = useMemo(
    () => new Map<string, unknown>(rows.map(({ name, policy }) => [name, policy])),
    [rows],
  )
  if (rows.length === 0 && !allowsInline) {
    return (
      <Card>
        <EmptyState title="This server has no policies">
          Its operator adds policies to the configuration; it evaluates no others.
        </EmptyState>
      </Card>
    )
  }
  const question = questionOf(search)
  const asked = question !== null && draft.isAsked ? question : null
  const signed =
    asked !== null && signs && typeof asked.policy === 'string' && asked.asOf === undefined
      ? { policy: asked.policy, address: asked.address }
      : null
  return (
    <div className={styles.gate}>
      <div className={styles.side}>
        <PolicyCard policies={policies} draft={draft} />
      </div>
      <div className={styles.side}>
        <AddressCard draft={draft} />
        <div className={styles.answer} aria-live="polite">
          {asked === null ? <NotAsked draft={draft} /> : <GateAnswer question={asked} named={named} />}
        </div>
        {signed !== null && <SignedCard key={JSON.stringify(signed)} {...signed} />}
      </div>
      {asked !== null && (
        <div className={styles.below}>
          <PolicyCode policy={asked.policy} address={asked.address} policies={policies} />
          <ManyAddresses
            key={JSON.stringify([asked.policy, asked.asOf])}
            policy={asked.policy}
            asOf={asked.asOf}
          />
        </div>
      )}
    </div>
  )
}

/** Stands in place of a verdict until there is a question. */
function NotAsked({ draft: { mistakes, filled } }: { readonly draft: GateDraft }) {
  const words =
    mistakes.rule ??
    (filled.address.trim() === '' ? 'Enter an address.' : (mistakes.address ?? mistakes.asOf ?? 'Judging …'))
  return (
    <section className={classNames(styles.verdict, styles.waiting)}>
      <p>{words}</p>
    </section>
  )
}

/** The question in the address of the page; null if a part is missing or wrong, which the form reports. */
function questionOf({ policy, rule, address, asOf }: GateSearch) {
  if (address === undefined || checkAddress(address) !== undefined) return null
  if (asOf !== undefined && asOfMistake(asOf) !== undefined) return null
  const read = policy === undefined ? readRule(rule ?? '') : null
  if (read?.kind === 'mistake') return null
  return { policy: read === null ? (policy ?? '') : read.rule, address, asOf }
}
