import type { Attestation } from '../../api/types.ts'
import { Address } from '../../components/Address.tsx'
import { SchemaLink } from '../../components/RecordLink.tsx'
import { Time } from '../../components/Time.tsx'
import { formatQuantity } from '../../format/formatCount.ts'
import styles from './AttestationPage.module.css'

/** An attestation in one sentence: who attested what to whom, when, and until when it is valid. */
export function Sentence({ attestation }: { readonly attestation: Attestation }) {
  const { attester, attestTimestamp, recipients, schema, schemaId, validUntil } = attestation
  const [first, ...others] = recipients
  const isSchemaIndexed = schema.id.startsWith('onchain_evm_')
  return (
    <span className={styles.sentence}>
      <Address address={attester} copyable={false} /> attested{' '}
      {isSchemaIndexed ? (
        <SchemaLink id={schema.id} localId={schemaId} name={schema.name} protocol={attestation.protocol} />
      ) : (
        'this'
      )}{' '}
      {first === undefined ? (
        'without a recipient'
      ) : (
        <>
          to <Address address={first} copyable={false} />
          {others.length > 0 && <> and {formatQuantity(others.length, 'other')}</>}
        </>
      )}{' '}
      on <Time seconds={attestTimestamp} show="absolute" />
      {validUntil !== '0' && (
        <>
          , valid until <Time seconds={validUntil} show="absolute" />
        </>
      )}
    </span>
  )
}
