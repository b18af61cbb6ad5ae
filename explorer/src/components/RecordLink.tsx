import { Link } from '@tanstack/react-router'
import { knownName } from '../api/knownNames.ts'
import { plainText } from '../format/inspectText.ts'
import { shortenMiddle } from '../format/shortenMiddle.ts'
import { SafeText } from './SafeText.tsx'
import styles from './RecordLink.module.css'
import { classNames } from './classNames.ts'
import { useLinkedProtocol } from './useProtocol.ts'

export interface AttestationLinkProps {
  /** The composite id. */
  readonly id: string
  readonly localId: string
  /** The page's protocol by default. */
  readonly protocol?: string | undefined
}

/** The local id of an attestation as a link to its page. */
export function AttestationLink({ id, localId, protocol: own }: AttestationLinkProps) {
  const protocol = useLinkedProtocol()(id, own)
  return (
    <Link to="/attestation/$id" params={{ id }} search={{ protocol }} className={styles.id} title={id}>
      {shortenMiddle(localId)}
    </Link>
  )
}

export interface SchemaLinkProps {
  readonly id: string
  readonly localId: string
  /** The name on chain; if empty, the local id is shown. */
  readonly name: string
  readonly strong?: boolean
  /** The page's protocol by default. */
  readonly protocol?: string | undefined
}

/** A link to a schema's page: the operator's name for it, or its own name, which any account may have chosen. */
export function SchemaLink({ id, localId, name, strong = false, protocol: own }: SchemaLinkProps) {
  const protocol = useLinkedProtocol()(id, own)
  const known = knownName(id)
  const shown = known?.name ?? name
  return (
    <Link
      to="/schema/$id"
      params={{ id }}
      search={{ protocol }}
      className={classNames(shown === '' ? styles.id : styles.name, strong && styles.strong)}
      title={known === undefined ? id : `${plainText(known.name, 100)} (${known.source})\n${id}`}
    >
      {shown === '' ? `Unnamed ${shortenMiddle(localId, 8, 4)}` : <SafeText text={shown} lengthMax={120} />}
    </Link>
  )
}
