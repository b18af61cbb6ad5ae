import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { transactionQuery } from '../../api/queries.ts'
import type { Attestation } from '../../api/types.ts'
import { SafeText } from '../../components/SafeText.tsx'
import { classNames } from '../../components/classNames.ts'
import { useIsPast, useMoment } from '../../components/useMoment.ts'
import { useChainAtReading } from '../../components/useChain.ts'
import { attestationStatus } from '../../format/attestationStatus.ts'
import { formatCount, formatQuantity } from '../../format/formatCount.ts'
import { formatAbsoluteTime } from '../../format/formatTime.ts'
import { missingTransaction } from '../../format/missingTransaction.ts'
import { protocolName } from '../../format/protocolName.ts'
import styles from './Certificate.module.css'

export interface CertificateProps {
  readonly attestation: Attestation
  /** When the record was read, in Unix seconds. */
  readonly readAt: number
  /** The content of the record, printed between the statement and the record's origin. */
  readonly children: ReactNode
}

/**
 * The printed form of a record: the statement in words, the content, and all facts that are needed to look the record
 * up, in full. On a screen only its children are shown.
 */
export function Certificate({ attestation, readAt, children }: CertificateProps) {
  return (
    <>
      <Statement attestation={attestation} />
      {children}
      <Source attestation={attestation} readAt={readAt} />
    </>
  )
}

function Statement({ attestation }: { readonly attestation: Attestation }) {
  const { attester, recipients, schema, attestTimestamp } = attestation
  const kind = useMoment((now) => attestationStatus(attestation, now).kind)
  return (
    <section className={styles.certificate}>
      <p className={styles.kind}>Certificate of attestation</p>
      <p className={styles.name}>
        {schema.name === '' ? `Schema ${schema.schemaId}` : <SafeText text={schema.name} />}
      </p>
      <p className={styles.statement}>
        <b>{attester}</b> attested under this schema
        {recipients.length > 0 && (
          <>
            {' '}
            to{' '}
            <b>
              <SafeText text={recipients[0] ?? ''} lengthMax={100} />
            </b>
            {recipients.length > 1 && ` and ${formatQuantity(recipients.length - 1, 'other')}`}
          </>
        )}{' '}
        on {formatAbsoluteTime(Number(attestTimestamp))}.
      </p>
      <p className={classNames(styles.status, styles[kind])}>
        <StatusWords attestation={attestation} kind={kind} />
      </p>
    </section>
  )
}

interface StatusWordsProps {
  readonly attestation: Attestation
  readonly kind: ReturnType<typeof attestationStatus>['kind']
}

function StatusWords({ attestation: { validUntil, revokeTimestamp, revokeReason }, kind }: StatusWordsProps) {
  // The bar above is printed too.
  const when = useIsPast() ? 'at the moment above' : 'when this page was printed'
  switch (kind) {
    case 'valid':
    case 'expiring':
      return (
        <>
          <b>Valid</b> {when}
          {validUntil === '0'
            ? '; it never expires.'
            : `; it expires on ${formatAbsoluteTime(Number(validUntil))}.`}
        </>
      )
    case 'expired':
      return (
        <>
          <b>Expired</b> {when}: it was valid until {formatAbsoluteTime(Number(validUntil))}.
        </>
      )
    case 'revoked':
      return (
        <>
          <b>Revoked</b> {when}
          {revokeTimestamp !== null &&
            `: it was taken back on ${formatAbsoluteTime(Number(revokeTimestamp))}`}
          .
          {revokeReason !== null && revokeReason !== '' && (
            <>
              {' '}
              The reason given: “
              <SafeText text={revokeReason} lengthMax={400} />”
            </>
          )}
        </>
      )
  }
}

function Source({ attestation, readAt }: Omit<CertificateProps, 'children'>) {
  const { id, chainId, protocol, schema, recipients, transactionHash, linkedAttestation } = attestation
  const chain = useChainAtReading(chainId, readAt)
  const missing = missingTransaction(transactionHash)
  const { data: transaction } = useQuery({
    ...transactionQuery(transactionHash, chainId),
    enabled: missing === null && attestation.mode === 'onchain',
  })
  const blockNumber = transaction?.blockNumber
  const isPast = useIsPast()
  const asOf = chain?.indexedBlock && !isPast ? `, as of block ${formatCount(chain.indexedBlock)}` : ''
  return (
    <section className={styles.certificate}>
      <dl className={styles.facts}>
        <dt>Attestation</dt>
        <dd>{id}</dd>
        <dt>Schema</dt>
        <dd>{schema.id}</dd>
        {recipients.length > 1 && (
          <>
            <dt>Recipients</dt>
            <dd>
              <ul>
                {recipients.map((recipient, index) => (
                  <li key={index}>
                    <SafeText text={recipient} lengthMax={100} />
                  </li>
                ))}
              </ul>
            </dd>
          </>
        )}
        {chainId !== '' && (
          <>
            <dt>Chain</dt>
            <dd>
              {chain?.name ?? 'EVM chain'} ({chainId})
            </dd>
          </>
        )}
        {protocol !== undefined && (
          <>
            <dt>Protocol</dt>
            <dd>{protocolName(chain === undefined ? [] : [chain], protocol)}</dd>
          </>
        )}
        {missing === null && attestation.mode === 'onchain' && (
          <>
            <dt>Block</dt>
            <dd>{blockNumber === undefined ? 'Not known' : formatCount(blockNumber)}</dd>
          </>
        )}
        {attestation.mode === 'onchain' && (
          <>
            <dt>Transaction</dt>
            <dd>{missing ?? transactionHash}</dd>
          </>
        )}
        {linkedAttestation !== '' && (
          <>
            <dt>Refers to</dt>
            <dd>{linkedAttestation}</dd>
          </>
        )}
        <dt>Looked up</dt>
        <dd>
          {formatAbsoluteTime(readAt - (readAt % 60))}
          {asOf}
        </dd>
        <dt>At</dt>
        <dd>{window.location.href}</dd>
      </dl>
      <p className={styles.caution}>
        Paper does not tell of a later revocation: look the attestation up again before you rely on it.
      </p>
    </section>
  )
}
