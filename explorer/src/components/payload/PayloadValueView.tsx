import { Link } from '@tanstack/react-router'
import { Fragment, type ReactNode } from 'react'
import { formatCount, formatQuantity } from '../../format/formatCount.ts'
import { groupDigits, readPayloadValue, type PayloadField } from '../../format/payloadValue.ts'
import { shortenMiddle } from '../../format/shortenMiddle.ts'
import { Address } from '../Address.tsx'
import { CopyButton } from '../CopyButton.tsx'
import { Hash } from '../Hash.tsx'
import { Icon } from '../Icon.tsx'
import { SafeText } from '../SafeText.tsx'
import { Time } from '../Time.tsx'
import styles from './PayloadValueView.module.css'

/** One value of a payload, shown by its type. No value is ever run, loaded or followed automatically. */
export function PayloadValueView({ field }: { readonly field: PayloadField }) {
  const value = readPayloadValue(field)
  switch (value.kind) {
    case 'address':
      return <Address address={value.address} full />
    case 'boolean':
      return <code>{String(value.isTrue)}</code>
    case 'integer':
      return (
        <span className={styles.integer}>
          {breakable(groupDigits(value.digits))}
          {value.seconds !== null && (
            <span className={styles.aside}>
              <Time seconds={value.seconds} show="absolute" />
            </span>
          )}
        </span>
      )
    case 'hash':
      return (
        <span className={styles.hash}>
          <Hash hash={value.hex} what="value" full />
          <Link to="/search" search={{ q: value.hex }} className={styles.find}>
            Look it up
          </Link>
        </span>
      )
    case 'bytes':
      return <LongHex hex={value.hex} length={value.length} />
    case 'empty':
      return <span className={styles.none}>empty</span>
    case 'url':
      return (
        <span className={styles.url}>
          <a href={value.href} target="_blank" rel="noreferrer nofollow ugc" referrerPolicy="no-referrer">
            <SafeText text={value.text} lengthMax={200} />
          </a>
          <span className={styles.aside}>
            <Icon name="external" /> leads to {value.host}
          </span>
        </span>
      )
    case 'unsafeLink':
      return (
        <span className={styles.url}>
          <SafeText text={value.text} expandable multiline />
          <span className={styles.warning}>
            <Icon name="warning" /> Looks like a link of the kind “{value.scheme}:”, which can run code. Do
            not open it.
          </span>
        </span>
      )
    case 'json':
      return (
        <details className={styles.json} open={value.pretty.length < 1500}>
          <summary>JSON, {formatCount(value.text.length)} characters</summary>
          <pre>
            <SafeText text={value.pretty} lengthMax={4000} expandable multiline />
          </pre>
        </details>
      )
    case 'text':
      return <SafeText text={value.text} lengthMax={600} expandable multiline />
    case 'list':
      return <List items={value.items} />
    case 'tuple':
      return (
        <dl className={styles.tuple}>
          {value.fields.map((each, index) => (
            <div key={index}>
              <dt>{each.name === '' ? each.type : each.name}</dt>
              <dd>
                <PayloadValueView field={each} />
              </dd>
            </div>
          ))}
        </dl>
      )
  }
}

/** Items shown initially; a click shows the rest. */
const itemsShown = 20

function List({ items }: { readonly items: readonly PayloadField[] }) {
  if (items.length === 0) return <span className={styles.none}>empty list</span>
  const shown = items.slice(0, itemsShown)
  const rest = items.slice(itemsShown)
  return (
    <>
      <Items items={shown} />
      {rest.length > 0 && (
        <details>
          <summary>{formatCount(rest.length)} more</summary>
          <Items items={rest} />
        </details>
      )}
    </>
  )
}

function Items({ items }: { readonly items: readonly PayloadField[] }) {
  return (
    <ul className={styles.list}>
      {items.map((item, index) => (
        <li key={index}>
          <PayloadValueView field={item} />
        </li>
      ))}
    </ul>
  )
}

/** Bytes shown initially; a click shows the rest. */
const hexShown = 320

export function LongHex({ hex, length }: { readonly hex: string; readonly length: number }) {
  return (
    <span className={styles.bytes}>
      {hex.length <= hexShown ? (
        <code>{hex}</code>
      ) : (
        <details>
          <summary>
            <code>{shortenMiddle(hex, 34, 16)}</code>
          </summary>
          <code>{hex}</code>
        </details>
      )}
      <span className={styles.aside}>
        {formatQuantity(length, 'byte')} <CopyButton value={hex} label="Copy bytes" />
      </span>
    </span>
  )
}

/** A number whose lines end between its groups of digits. */
function breakable(grouped: string): ReactNode {
  return grouped.split(',').map((group, index) => (
    <Fragment key={index}>
      {index > 0 && (
        <>
          ,<wbr />
        </>
      )}
      {group}
    </Fragment>
  ))
}
