import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { momentQuery } from '../api/queries.ts'
import { buttonClass } from '../components/Button.tsx'
import { ErrorState } from '../components/ErrorState.tsx'
import { Icon } from '../components/Icon.tsx'
import { PagePending } from './PagePending.tsx'
import { Time } from '../components/Time.tsx'
import { MomentChainContext, MomentContext } from '../components/useMoment.ts'
import { useChain } from '../components/useChain.ts'
import { partsOfMoment } from '../format/moment.ts'
import styles from './PastBar.module.css'

/** A page as of a moment, below a bar that says so. */
export function Past({ asOf, children }: { readonly asOf: string; readonly children: ReactNode }) {
  const moment = partsOfMoment(asOf)
  const isBlock = 'block' in moment
  const chain = useChain(isBlock ? moment.chainId : undefined)
  // The time of a block decides what had expired.
  const asked = useQuery({ ...momentQuery(asOf), enabled: isBlock })
  const at = isBlock ? asked.data : moment.at
  return (
    <>
      <div className={styles.bar} role="status">
        <Icon name="clock" />
        <span>
          <strong>You see the past</strong>, as of{' '}
          {isBlock && `block ${moment.block} of ${chain?.name ?? `chain ${moment.chainId}`}`}
          {isBlock && at !== undefined && ', '}
          {at !== undefined && <Time seconds={at} show="absolute" />}. What came later
          {isBlock && ' and what is on other chains'} is left out.
        </span>
        <Link
          to="."
          search={(earlier: object) => ({ ...earlier, asOf: undefined, page: undefined })}
          className={buttonClass()}
        >
          Show the present
        </Link>
      </div>
      {asked.error !== null ? (
        <ErrorState error={asked.error} onRetry={() => void asked.refetch()} wholePage />
      ) : at === undefined ? (
        <PagePending />
      ) : (
        <MomentContext value={at}>
          <MomentChainContext value={isBlock ? moment.chainId : undefined}>{children}</MomentChainContext>
        </MomentContext>
      )}
    </>
  )
}
