import { Link } from '@tanstack/react-router'
import { shortenMiddle } from '../format/shortenMiddle.ts'
import { SafeText } from './SafeText.tsx'
import styles from './RecordLink.module.css'
import { classNames } from './classNames.ts'
import { useProtocol } from './useProtocol.ts'

/** The local id of an attestation as a link to its page. `id` is composite. */
export function AttestationLink({ id, localId }: { readonly id: string; readonly localId: string }) {
  const protocol = useProtocol()
  return (
    <Link to="/attestation/$id" params={{ id }} search={{ protocol }} className={styles.id} title={id}>
      {shortenMiddle(localId)}
    </Link>
  )
}

export interface SchemaLinkProps {
  readonly id: string
  readonly localId: string
  /** As it stands on chain; the local id is shown where it is empty. */
  readonly name: string
  readonly strong?: boolean
}

/** The name of a schema, which any account may have chosen, as a link to its page. */
export function SchemaLink({ id, localId, name, strong = false }: SchemaLinkProps) {
  const protocol = useProtocol()
  return (
    <Link
      to="/schema/$id"
      params={{ id }}
      search={{ protocol }}
      className={classNames(name === '' ? styles.id : styles.name, strong && styles.strong)}
      title={id}
    >
      {name === '' ? `Unnamed ${shortenMiddle(localId, 8, 4)}` : <SafeText text={name} lengthMax={120} />}
    </Link>
  )
}
