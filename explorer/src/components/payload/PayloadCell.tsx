import { formatQuantity } from '../../format/formatCount.ts'
import { groupDigits, readPayloadValue, type PayloadField } from '../../format/payloadValue.ts'
import { shortenMiddle } from '../../format/shortenMiddle.ts'
import { Address } from '../Address.tsx'
import { SafeText } from '../SafeText.tsx'
import { Time } from '../Time.tsx'
import styles from './PayloadCell.module.css'

/** A value of a payload in one line of a table cell; the record's own page shows it in full. */
export function PayloadCell({ field }: { readonly field: PayloadField }) {
  const value = readPayloadValue(field)
  switch (value.kind) {
    case 'address':
      return <Address address={value.address} copyable={false} />
    case 'boolean':
      return <code>{String(value.isTrue)}</code>
    case 'integer':
      if (value.seconds !== null) return <Time seconds={value.seconds} />
      return <span title={value.digits}>{shortenMiddle(groupDigits(value.digits), 14, 6)}</span>
    case 'hash':
    case 'bytes':
      return <code title={value.hex.slice(0, 200)}>{shortenMiddle(value.hex, 8, 4)}</code>
    case 'empty':
      return <span className={styles.none}>empty</span>
    case 'list':
      return formatQuantity(value.items.length, 'item')
    case 'tuple':
      return formatQuantity(value.fields.length, 'field')
    case 'url':
    case 'unsafeLink':
    case 'json':
    case 'text':
      return (
        <span className={styles.text}>
          <SafeText text={value.text} lengthMax={60} />
        </span>
      )
  }
}
