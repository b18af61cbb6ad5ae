import type { Attestation } from '../../api/types.ts'
import { Icon } from '../../components/Icon.tsx'
import { LongHex } from '../../components/payload/PayloadValueView.tsx'
import { SafeText } from '../../components/SafeText.tsx'
import { PayloadTable } from '../../components/payload/PayloadTable.tsx'
import styles from './Payload.module.css'

/** The payload decoded by the fields of its schema; otherwise the reason and the bytes. */
export function Payload({ attestation }: { readonly attestation: Attestation }) {
  const { data, dataLocation, decodedData, decodedDataError } = attestation
  const length = Math.max(0, (data.length - 2) / 2)
  if (decodedData !== null && decodedData !== undefined && decodedData.length > 0) {
    return (
      <>
        {dataLocation !== 'ONCHAIN' && dataLocation !== 'OFFCHAIN' && (
          <ElsewhereNote dataLocation={dataLocation} />
        )}
        <PayloadTable caption="Decoded payload" fields={decodedData} />
      </>
    )
  }
  // The statement of a signer of Sign Protocol is a text.
  if (dataLocation === 'OFFCHAIN' && !data.startsWith('0x')) {
    return <SafeText text={data} lengthMax={1_000} expandable multiline />
  }
  return (
    <div className={styles.undecoded}>
      <p className={styles.reason}>
        <Icon name="info" />
        {length === 0
          ? 'The payload is empty: the attestation says no more than that it was made.'
          : `It could not be decoded${decodedDataError ? `: ${decodedDataError}` : ''}. These are its bytes.`}
      </p>
      {length > 0 && <LongHex hex={data} length={length} />}
    </div>
  )
}

const places = { ARWEAVE: 'on Arweave', IPFS: 'on IPFS', CUSTOM: 'in a place of the attester’s own' } as const

function ElsewhereNote({ dataLocation }: { readonly dataLocation: keyof typeof places }) {
  return (
    <p className={styles.note}>
      <Icon name="info" />
      The chain holds only where the payload is kept: {places[dataLocation]}.
    </p>
  )
}
