import { SafeText } from '../../components/SafeText.tsx'
import { payloadPreview } from './payloadPreview.ts'
import styles from './PayloadPreview.module.css'

/** One line about a payload: its first fields, or the reason why it cannot be decoded. */
export function PayloadPreview({
  attestation,
}: {
  readonly attestation: Parameters<typeof payloadPreview>[0]
}) {
  const preview = payloadPreview(attestation)
  if (typeof preview === 'string') return <span className={styles.reason}>{preview}</span>
  return preview.map(({ name, value }, index) => (
    <span key={index} className={styles.field}>
      {name !== '' && (
        <>
          <SafeText text={name} lengthMax={24} />{' '}
        </>
      )}
      <span className={styles.value}>
        <SafeText text={value} lengthMax={48} />
      </span>
    </span>
  ))
}
