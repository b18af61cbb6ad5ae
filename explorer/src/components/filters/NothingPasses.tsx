import { Link } from '@tanstack/react-router'
import { EmptyState } from '../EmptyState.tsx'
import { buttonClass } from '../Button.tsx'

/** Replaces a list without rows that pass its filters. */
export function NothingPasses({ what }: { readonly what: 'attestation' | 'schema' | 'agent' }) {
  const all = `${what}s` as const
  return (
    <EmptyState title={`No ${what} passes these filters`} icon="filter">
      <p>Remove one of them, or look at all {all}.</p>
      <Link to={`/${all}`} className={buttonClass()}>
        Show all {all}
      </Link>
    </EmptyState>
  )
}
