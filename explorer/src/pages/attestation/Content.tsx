import type { OnchainAttestation } from '../../api/types.ts'
import { Icon } from '../../components/Icon.tsx'
import { PayloadValueView } from '../../components/payload/PayloadValueView.tsx'
import { SafeText } from '../../components/SafeText.tsx'
import styles from './Payload.module.css'

type KnownContent = NonNullable<OnchainAttestation['content']>

const words: Readonly<Record<KnownContent['state'], string>> = {
  verified: 'Verified: its bytes are those that the record names.',
  unverified: 'Not verified: nothing in the bytes proves that the record names them.',
  mismatch: 'Another content than the record names.',
  missing: 'No gateway has it yet.',
  refused: 'Not kept.',
  pending: 'Not fetched.',
}

/** The content that a record points to: a stranger's words, shown only as text. */
export function Content({ content: { state, sentence, pointer, json } }: { readonly content: KnownContent }) {
  return (
    <div className={styles.undecoded}>
      <p className={styles.reason}>
        <Icon name={state === 'mismatch' ? 'warning' : 'info'} />
        <span>
          {words[state]} {sentence !== '' && <SafeText text={sentence} />}
        </span>
      </p>
      <p>
        <SafeText text={pointer} lengthMax={160} expandable />
      </p>
      {json !== null && (
        <PayloadValueView field={{ name: 'content', type: 'string', value: JSON.stringify(json) }} />
      )}
    </div>
  )
}
