import { Link } from '@tanstack/react-router'
import { buttonClass } from './Button.tsx'
import { EmptyState } from './EmptyState.tsx'

export interface RecordMissingProps {
  readonly what: 'attestation' | 'schema'
  /** As it stands in the URL. */
  readonly id: string
}

/** For an id that is well formed and not in the index. */
export function RecordMissing({ what, id }: RecordMissingProps) {
  return (
    <EmptyState title={`This ${what} is not in the index`} icon="search" wholePage>
      <p>
        No indexed chain has a record with the id <code>{id.slice(0, 140)}</code>. It may be too new for the
        index, on a chain that is not indexed, or mistyped.
      </p>
      <Link to="/search" search={{ q: id.split('_').at(-1) }} className={buttonClass('primary')}>
        Search for it on every chain
      </Link>
    </EmptyState>
  )
}
