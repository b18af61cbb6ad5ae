import { Link } from '@tanstack/react-router'
import { AttestryError } from '@attestry/client/attestryError.ts'
import { buttonClass } from './Button.tsx'
import { EmptyState } from './EmptyState.tsx'
import { ErrorState, isMistaken } from './ErrorState.tsx'
import { useIsPast } from './useMoment.ts'
import { SafeText } from './SafeText.tsx'
import { isAddress } from '../format/checkFilter.ts'
import { localIdOf } from '../format/localIdOf.ts'

export interface RecordMissingProps {
  readonly what: 'attestation' | 'schema' | 'address' | 'transaction' | 'agent'
  /** As it stands in the URL. */
  readonly id: string
  readonly error: Error
  readonly onRetry: () => void
}

/**
 * In place of the page of a record that cannot be shown: an id that is not in the index or no id leads to the search, a
 * failure to another try. A wrong parameter, such as a protocol that does not exist, is named as the interface names it.
 */
export function RecordMissing({ what, id, error, onRetry }: RecordMissingProps) {
  const isPast = useIsPast()
  if (!(error instanceof AttestryError) || !isMistaken(error) || isOfParameter(error, what, id))
    return <ErrorState error={error} onRetry={onRetry} wholePage />
  const shown = (
    <code>
      <SafeText text={id} lengthMax={140} />
    </code>
  )
  const isMalformed = error.status !== 404
  const name = names[what]
  return (
    <EmptyState
      title={
        isMalformed
          ? `This is no ${name}`
          : isPast
            ? `This ${what} was not there yet`
            : `This ${what} is not in the index`
      }
      icon="search"
      wholePage
    >
      {isMalformed ? (
        <p>
          {shown} does not have the form of one: {formOf(what)}.
        </p>
      ) : (
        <p>
          {isPast ? 'At this moment, no indexed chain had' : 'No indexed chain has'}{' '}
          {what === 'transaction' ? 'a transaction' : 'a record with the id'} {shown}. It may be too new for
          the index, on a chain that is not indexed, or mistyped.
        </p>
      )}
      <Link to="/search" search={{ q: isMalformed ? id : localIdOf(id) }} className={buttonClass('primary')}>
        Search for it on every chain
      </Link>
    </EmptyState>
  )
}

/** Whether a request was refused although its id has the form of one. */
function isOfParameter({ status }: AttestryError, what: RecordMissingProps['what'], id: string): boolean {
  // Such as a moment that a chain has not reached.
  if (status !== 400) return status !== 404
  if (what === 'address') return isAddress(id)
  if (what === 'transaction') return /^0x[0-9a-f]{64}$/i.test(id)
  if (what === 'agent') return /^(?:eip155:)?\d+:/.test(id)
  return /^onchain_evm_\d+_0x[0-9a-f]+$/i.test(id)
}

const names: Readonly<Record<RecordMissingProps['what'], string>> = {
  address: 'address',
  schema: 'id of a schema',
  attestation: 'id of an attestation',
  transaction: 'hash of a transaction',
  agent: 'id of an agent',
}

function formOf(what: RecordMissingProps['what']): string {
  if (what === 'address') return '0x and 40 hexadecimal digits'
  if (what === 'transaction') return '0x and 64 hexadecimal digits'
  if (what === 'agent') return '8453:22, with chain and number'
  return 'onchain_evm_1_0x2a, with chain and number or uid'
}
