import type { Attestation } from '../../api/types.ts'
import { SafeText } from '../../components/SafeText.tsx'
import { useNow } from '../../components/now.ts'
import { useChain } from '../../components/useChain.ts'
import { attestationStatus } from '../../format/attestationStatus.ts'
import { formatCount, formatQuantity } from '../../format/formatCount.ts'
import { formatAbsoluteTime } from '../../format/formatTime.ts'
import styles from './Certificate.module.css'

/** On paper, what stands above the record: the statement in words, and where and when it was looked up. */
export function Certificate({ attestation }: { readonly attestation: Attestation }) {
  const { attester, recipients, schema, attestTimestamp, chainId } = attestation
  const chain = useChain(chainId)
  const kind = useNow((now) => attestationStatus(attestation, now).kind)
  const printedAt = useNow((now) => formatAbsoluteTime(now - (now % 60)))
  return (
    <section className={styles.certificate}>
      <p className={styles.title}>Certificate of attestation</p>
      <p className={styles.statement}>
        <b>{attester}</b> attested under the schema{' '}
        <b>{<SafeText text={schema.name === '' ? schema.schemaId : schema.name} />}</b>
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
        on {formatAbsoluteTime(Number(attestTimestamp))}, recorded on {chain?.name ?? `chain ${chainId}`}{' '}
        (chain {chainId}
        ). {words[kind]}
      </p>
      <p className={styles.source}>
        Looked up on {printedAt}
        {chain?.indexedBlock ? `, as of block ${formatCount(chain.indexedBlock)}` : ''}, at{' '}
        {window.location.href}. A printed page does not tell of a later revocation: look it up again before
        relying on it.
      </p>
    </section>
  )
}

const words = {
  valid: 'It was valid when this page was printed.',
  expiring: 'It was valid when this page was printed.',
  expired: 'It had expired when this page was printed.',
  revoked: 'It had been revoked when this page was printed.',
} as const
