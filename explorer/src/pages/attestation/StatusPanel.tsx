import { useId } from 'react'
import type { Attestation } from '../../api/types.ts'
import { Hash } from '../../components/Hash.tsx'
import { AttestationLink } from '../../components/RecordLink.tsx'
import { SafeText } from '../../components/SafeText.tsx'
import { StatusBadge } from '../../components/StatusBadge.tsx'
import { Time } from '../../components/Time.tsx'
import { classNames } from '../../components/classNames.ts'
import { useIsPast, useMoment } from '../../components/useMoment.ts'
import { explorerLink, useChain, useChainAtReading } from '../../components/useChain.ts'
import { attestationStatus } from '../../format/attestationStatus.ts'
import { formatCount } from '../../format/formatCount.ts'
import styles from './StatusPanel.module.css'

interface StatusPanelProps {
  readonly attestation: Attestation
  /** When the record was read, in Unix seconds. */
  readonly readAt: number
}

/** The status of the attestation, its reason, and the age of the index. */
export function StatusPanel({ attestation, readAt }: StatusPanelProps) {
  const kind = useMoment((now) => attestationStatus(attestation, now).kind)
  const heading = useId()
  const isPast = useIsPast()
  return (
    <section className={classNames(styles.panel, styles[kind])} aria-labelledby={heading}>
      <h2 id={heading} className={styles.heading}>
        <span className="visuallyHidden">Status: </span>
        <StatusBadge attestation={attestation} size="large" />
      </h2>
      <div className={styles.words}>
        <Sentence attestation={attestation} kind={kind} />
        {attestation.chainId !== '' && !isPast && <AsOf chainId={attestation.chainId} readAt={readAt} />}
      </div>
    </section>
  )
}

interface SentenceProps {
  readonly attestation: Attestation
  readonly kind: ReturnType<typeof attestationStatus>['kind']
}

function Sentence({ attestation, kind }: SentenceProps) {
  switch (kind) {
    case 'revoked':
      return <Revocation attestation={attestation} />
    case 'expired':
      return (
        <p>
          It was valid until <Time seconds={attestation.validUntil} show="absolute" />. It was not revoked.
        </p>
      )
    case 'expiring':
      return (
        <p>
          It has not been revoked, and stays valid until{' '}
          <Time seconds={attestation.validUntil} show="absolute" />.
        </p>
      )
    case 'valid':
      if (attestation.validUntil === '0') return <p>It has not been revoked, and never expires.</p>
      return (
        <p>
          It has not been revoked, and stays valid until{' '}
          <Time seconds={attestation.validUntil} show="absolute" />.
        </p>
      )
  }
}

function Revocation({ attestation }: { readonly attestation: Attestation }) {
  const { chainId, protocol, revokeTimestamp, revokeReason, revokeTransactionHash } = attestation
  const chain = useChain(chainId)
  const replacement = /^replaced by (onchain_evm_[0-9]+_(0x[0-9a-f]+))$/.exec(revokeReason ?? '')
  const [, replacedBy, localId] = replacement ?? []
  return (
    <>
      <p>
        {revokeTimestamp === null ? (
          'It was revoked.'
        ) : (
          <>
            It was revoked <Time seconds={revokeTimestamp} />, on{' '}
            <Time seconds={revokeTimestamp} show="absolute" />.
          </>
        )}{' '}
        {revokeReason === null || revokeReason === ''
          ? 'No reason was given.'
          : replacedBy === undefined && 'The reason given:'}
        {replacedBy !== undefined && localId !== undefined && (
          <>
            It was replaced by <AttestationLink id={replacedBy} localId={localId} protocol={protocol} />.
          </>
        )}
      </p>
      {revokeReason !== null && revokeReason !== '' && replacedBy === undefined && (
        <blockquote className={styles.reason}>
          <SafeText text={revokeReason} lengthMax={400} expandable multiline />
        </blockquote>
      )}
      {revokeTransactionHash !== '' && (
        <p className={styles.transaction}>
          Transaction{' '}
          <Hash
            hash={revokeTransactionHash}
            what="hash of the revoking transaction"
            transactionOf={chainId}
            href={explorerLink(chain, 'transaction', revokeTransactionHash)}
          />
        </p>
      )}
    </>
  )
}

/** An answer is as fresh as the index of its chain. */
function AsOf({ chainId, readAt }: { readonly chainId: string; readonly readAt: number }) {
  const chain = useChainAtReading(chainId, readAt)
  if (chain === undefined) return <p className={styles.asOf}> </p>
  const { indexedBlock, indexedTimestamp } = chain
  if (indexedBlock === null) return <p className={styles.asOf}>{chain.name} has not been indexed yet.</p>
  return (
    <p className={styles.asOf}>
      As of block {formatCount(indexedBlock)} of {chain.name}
      {indexedTimestamp !== null && (
        <>
          , made <Time seconds={indexedTimestamp} />
        </>
      )}
    </p>
  )
}
