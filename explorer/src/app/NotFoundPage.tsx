import { Link } from '@tanstack/react-router'
import { buttonClass } from '../components/Button.tsx'
import { EmptyState } from '../components/EmptyState.tsx'
import { useTitle } from '../components/useTitle.ts'

/** Shown for an unknown path. */
export function NotFoundPage() {
  useTitle('Not found')
  return (
    <EmptyState title="There is no such page" icon="search" wholePage>
      <p>The address may be mistyped, or the page may have moved. A search finds any record by its id.</p>
      <Link to="/" className={buttonClass('primary')}>
        Go to the home page
      </Link>
    </EmptyState>
  )
}
