import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { policiesQuery } from '../../api/queries.ts'
import { Card } from '../../components/Card.tsx'
import { EmptyState } from '../../components/EmptyState.tsx'
import { ErrorState } from '../../components/ErrorState.tsx'
import { PageHeader } from '../../components/PageHeader.tsx'
import { SkeletonBlock } from '../../components/Skeleton.tsx'
import { useTitle } from '../../components/useTitle.ts'
import { checkAddress } from '../../format/checkFilter.ts'
import { GateAnswer } from './GateAnswer.tsx'
import { GateForm } from './GateForm.tsx'
import { asOfMistake, readRule, type GateSearch } from './gateSearch.ts'
import styles from './GatePage.module.css'

/** Tries a policy on an address, and shows term by term why it lets the address through or not. */
export function GatePage() {
  useTitle('Gate')
  const search = useSearch({ from: '/gate' })
  const navigate = useNavigate({ from: '/gate' })
  const policies = useQuery(policiesQuery())
  const question = questionOf(search)
  return (
    <>
      <PageHeader title="Try a policy">
        A policy says which attestations let an address through. A verdict says that records exist or not,
        never that somebody is safe.
      </PageHeader>
      <Card>
        {policies.data !== undefined ? (
          <Choice
            policies={policies.data}
            search={search}
            onTry={(next) => void navigate({ search: next })}
          />
        ) : policies.isError ? (
          <ErrorState error={policies.error} onRetry={() => void policies.refetch()} />
        ) : (
          <SkeletonBlock className={styles.pendingForm} />
        )}
      </Card>
      <div className={styles.answer} aria-live="polite">
        {/* Below a form whose height is not known yet. */}
        {question !== null && !policies.isPending && <GateAnswer {...question} />}
      </div>
    </>
  )
}

interface ChoiceProps {
  readonly policies: Parameters<typeof GateForm>[0]['policies']
  readonly search: GateSearch
  readonly onTry: (search: GateSearch) => void
}

function Choice({ policies, search, onTry }: ChoiceProps) {
  if (policies.rows.length === 0 && !policies.allowsInline) {
    return (
      <EmptyState title="This server has no policies">
        Its operator adds policies to the configuration; it evaluates no others.
      </EmptyState>
    )
  }
  return <GateForm policies={policies} search={search} onTry={onTry} />
}

/** What the address of the page asks; null where a part is missing or wrong, which the form says. */
function questionOf({ policy, rule, address, asOf }: GateSearch) {
  if (address === undefined || checkAddress(address) !== undefined) return null
  if (asOf !== undefined && asOfMistake(asOf) !== undefined) return null
  const read = policy === undefined ? readRule(rule ?? '') : null
  if (read?.kind === 'mistake') return null
  return { policy: read === null ? (policy ?? '') : read.rule, address, asOf }
}
