import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { attestationQuery, attestationsQuery, decodedAttestationsQuery } from '../../api/queries.ts'
import type { Attestation } from '../../api/types.ts'
import { Address } from '../../components/Address.tsx'
import { Card } from '../../components/Card.tsx'
import { SafeText } from '../../components/SafeText.tsx'
import { Skeleton } from '../../components/Skeleton.tsx'
import { StatusBadge } from '../../components/StatusBadge.tsx'
import { Time } from '../../components/Time.tsx'
import { useLinkedProtocol } from '../../components/useProtocol.ts'
import { classNames } from '../../components/classNames.ts'
import { formatQuantity } from '../../format/formatCount.ts'
import { localIdOf } from '../../format/localIdOf.ts'
import { recordKey } from '../../format/recordKey.ts'
import { withoutAbsent } from '../../format/withoutAbsent.ts'
import { shortenMiddle } from '../../format/shortenMiddle.ts'
import styles from './RelatedAttestations.module.css'

/** The number of referring attestations in the graph; a list has the rest. */
const referencesShown = 5

/**
 * The attestation that this one refers to, and those that refer to this one, as a graph from left to right. Empty
 * without any.
 */
export function RelatedAttestations({ attestation }: { readonly attestation: Attestation }) {
  const { id, linkedAttestation } = attestation
  const protocol = useLinkedProtocol()(id, attestation.protocol)
  const listed = useQuery(
    attestationsQuery(withoutAbsent({ linkedAttestation: id, protocol, size: referencesShown })),
  )
  const total = listed.data?.total ?? 0
  const rows = listed.data?.rows ?? []
  const references = useQuery(decodedAttestationsQuery(rows))
  if (linkedAttestation === '' && total === 0) return null
  return (
    <Card title="Related attestations" className={styles.card}>
      <div className={styles.graph}>
        {linkedAttestation !== '' && (
          <div className={styles.column}>
            <h3 className={styles.label}>Refers to</h3>
            <Linked id={linkedAttestation} protocol={protocol} />
          </div>
        )}
        {linkedAttestation !== '' && <Arrow />}
        <div className={styles.column}>
          <h3 className={styles.label}>This attestation</h3>
          <Node attestation={attestation} isThis />
        </div>
        {total > 0 && <Arrow />}
        {total > 0 && (
          <div className={styles.column}>
            <h3 className={styles.label}>Referred to by {formatQuantity(total, 'attestation')}</h3>
            <ul className={styles.nodes}>
              {rows.map((row) => (
                <li key={row.id}>
                  <Reference
                    id={row.id}
                    protocol={protocol}
                    attestation={references.data?.get(recordKey(row))}
                    isUnknown={references.isError}
                  />
                </li>
              ))}
            </ul>
            {total > referencesShown && (
              <Link to="/attestations" search={{ linkedAttestation: id, protocol }} className={styles.all}>
                Show all {formatQuantity(total, 'attestation')}
              </Link>
            )}
          </div>
        )}
      </div>
    </Card>
  )
}

interface ReferenceProps {
  readonly id: string
  /** In links to it. */
  readonly protocol: string | undefined
}

function Linked({ id, protocol }: ReferenceProps) {
  const { data: attestation, isError } = useQuery(attestationQuery(id, protocol))
  if (isError) return <Missing id={id} />
  return <Reference id={id} protocol={protocol} attestation={attestation} />
}

function Reference({
  id,
  protocol,
  attestation,
  isUnknown = false,
}: ReferenceProps & { readonly attestation: Attestation | undefined; readonly isUnknown?: boolean }) {
  if (attestation !== undefined) return <Node attestation={attestation} />
  return (
    <Link to="/attestation/$id" params={{ id }} search={{ protocol }} className={styles.node}>
      <span className={styles.id}>{shortenMiddle(localIdOf(id), 8, 6)}</span>
      {isUnknown ? (
        'Not known'
      ) : (
        <>
          <Skeleton characters={14} />
          <Skeleton characters={18} />
        </>
      )}
    </Link>
  )
}

interface NodeProps {
  readonly attestation: Attestation
  readonly isThis?: boolean
}

function Node({ attestation, isThis = false }: NodeProps) {
  const { id, attestationId, schema, attester, attestTimestamp } = attestation
  const protocol = useLinkedProtocol()(id, attestation.protocol)
  const name = schema.name === '' ? `Schema ${shortenMiddle(schema.schemaId, 8, 4)}` : schema.name
  const shortId = shortenMiddle(attestationId, 8, 6)
  return (
    <div
      className={classNames(styles.node, isThis && styles.this)}
      aria-current={isThis ? 'true' : undefined}
    >
      <span className={styles.line}>
        {isThis ? (
          <span className={styles.id}>{shortId}</span>
        ) : (
          <Link to="/attestation/$id" params={{ id }} search={{ protocol }} className={styles.id} title={id}>
            {shortId}
          </Link>
        )}
        <StatusBadge attestation={attestation} />
      </span>
      <span className={styles.name}>
        <SafeText text={name} lengthMax={60} />
      </span>
      <span className={styles.line}>
        <Address address={attester} copyable={false} />
        <Time seconds={attestTimestamp} />
      </span>
    </div>
  )
}

function Missing({ id }: { readonly id: string }) {
  return (
    <div className={styles.node}>
      <span className={styles.id}>{shortenMiddle(localIdOf(id), 8, 6)}</span>
      <span className={styles.none}>not in the index</span>
    </div>
  )
}

function Arrow() {
  return (
    <svg className={styles.arrow} viewBox="0 0 24 16" aria-hidden="true">
      <path d="M23 8H2M7 3 2 8l5 5" />
    </svg>
  )
}
